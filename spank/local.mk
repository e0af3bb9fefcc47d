# spank
