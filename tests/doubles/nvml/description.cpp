#include "tests/doubles/nvml/description.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace mscale::doubles {
namespace {

std::string trimmed(const std::string& text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string* find_member(Gpu& gpu, const std::string& key)
{
    static const std::map<std::string, std::string Gpu::*> members = {{"name", &Gpu::name},
                                                                      {"uuid", &Gpu::uuid},
                                                                      {"pci", &Gpu::pci},
                                                                      {"minor", &Gpu::minor},
                                                                      {"cores", &Gpu::cores},
                                                                      {"memory_mib", &Gpu::memory_mib},
                                                                      {"capability", &Gpu::capability},
                                                                      {"node", &Gpu::node},
                                                                      {"cpus", &Gpu::cpus},
                                                                      {"mig", &Gpu::mig},
                                                                      {"xid", &Gpu::xid},
                                                                      {"lost", &Gpu::lost}};
    const auto found = members.find(key);
    return found == members.end() ? nullptr : &(gpu.*found->second);
}

void read_line(Description& description, const std::string& line)
{
    if (line == "[gpu]") {
        description.gpus.emplace_back();
        return;
    }
    const std::size_t equals = line.find('=');
    const std::string key = trimmed(line.substr(0, equals));
    std::string* member = nullptr;
    if (key == "driver")
        member = &description.driver;
    else if (!description.gpus.empty())
        member = find_member(description.gpus.back(), key);
    if (equals == std::string::npos || member == nullptr) throw std::runtime_error("not understood: " + line);
    *member = trimmed(line.substr(equals + 1));
}

} // namespace

Description read_description(const std::string& path)
{
    std::ifstream file(path);
    if (!file) throw std::runtime_error("can't open " + path);
    Description description;
    for (std::string line; std::getline(file, line);) {
        const std::string content = trimmed(line.substr(0, line.find('#')));
        if (!content.empty()) read_line(description, content);
    }
    return description;
}

std::vector<unsigned> read_list(const std::string& text)
{
    std::vector<unsigned> numbers;
    std::istringstream ranges(text);
    for (std::string range; std::getline(ranges, range, ',');) {
        const std::size_t dash = range.find('-');
        const unsigned long first = std::stoul(range);
        const unsigned long last = dash == std::string::npos ? first : std::stoul(range.substr(dash + 1));
        for (unsigned long number = first; number <= last; ++number)
            numbers.push_back(static_cast<unsigned>(number));
    }
    return numbers;
}

} // namespace mscale::doubles
