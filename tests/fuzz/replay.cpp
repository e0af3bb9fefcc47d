// Runs a fuzz target's entry over files: those named, else the whole corpus of the source tree.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "base/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::string> corpus_files()
{
    const char* srcdir = std::getenv("srcdir");
    const std::string directory = std::string(srcdir ? srcdir : ".") + "/tests/fuzz/corpus/" MSCALE_CORPUS;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) files.push_back(entry.path());
    return files;
}

} // namespace

int main(int count, char** words)
{
    const std::vector<std::string> files =
        count > 1 ? std::vector<std::string>(words + 1, words + count) : corpus_files();
    for (const std::string& file : files) {
        const auto text = mscale::read_file(file);
        if (!text) {
            std::cerr << to_line(text.error()) << "\n";
            return 1;
        }
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text->data()), text->size());
    }
    std::cout << files.size() << " inputs replayed\n";
    return files.empty() ? 1 : 0;
}
