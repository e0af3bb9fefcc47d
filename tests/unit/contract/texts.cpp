#include "tests/unit/contract/texts.hpp"

#include <cstdlib>

#include "base/files.hpp"

std::vector<std::vector<std::string>> case_rows(const std::string& name)
{
    const auto text = mscale::read_file(fixture("cases/" + name));
    ck_assert(text.has_value());
    std::vector<std::vector<std::string>> rows;
    for (const std::string_view line : mscale::split(*text, '\n')) {
        if (line.empty() || line.starts_with('#')) continue;
        const auto cells = mscale::split(line, '\t');
        rows.emplace_back(cells.begin(), cells.end());
    }
    ck_assert(!rows.empty());
    return rows;
}

std::string source_file(const std::string& path)
{
    const char* srcdir = std::getenv("srcdir");
    const auto text = mscale::read_file(std::string(srcdir ? srcdir : ".") + "/" + path);
    ck_assert_msg(text.has_value(), "%s can't be read", path.c_str());
    return *text;
}
