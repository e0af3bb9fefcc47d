#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

/// Ends the program with a word about the property that doesn't hold; libFuzzer keeps the input.
inline void require(bool holds, const char* property, const std::string& found = "")
{
    if (holds) return;
    std::fprintf(stderr, "property broken: %s\n%s\n", property, found.c_str());
    std::abort();
}
