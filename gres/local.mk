# gres
