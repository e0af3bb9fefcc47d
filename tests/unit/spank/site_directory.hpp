#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/files.hpp"
#include "base/json.hpp"
#include "contract/ledger.hpp"
#include "spank/arguments.hpp"

/// A directory of one test with mscale.conf, profiles, ledgers and a shell script in the place of mscale-node.
class SiteDirectory {
public:
    SiteDirectory()
    {
        char name[] = "/tmp/unit_spank.XXXXXX";
        path = ::mkdtemp(name);
        std::filesystem::create_directories(path + "/profiles");
        write("mscale.conf", "[site]\nmode = enforce\n[paths]\nstate = " + path +
                                 "/state\nprofiles = " + path + "/profiles\nnode_program = " + path +
                                 "/mscale-node\n[node]\napply_deadline = 1s\n");
        arguments.config = path + "/mscale.conf";
    }
    ~SiteDirectory() { std::filesystem::remove_all(path); }
    SiteDirectory(const SiteDirectory&) = delete;
    SiteDirectory& operator=(const SiteDirectory&) = delete;

    void write(const std::string& name, const std::string& text) const
    {
        std::ofstream(path + "/" + name) << text;
    }
    /// What mscale-node does, as lines of shell; its arguments, stdin and environment land in the files call, input and env.
    void write_node_program(const std::string& lines) const
    {
        write("mscale-node", "#!/bin/sh\nulimit -c 0\ncd " + path +
                                 "\necho \"$@\" >>call\ncat >input\nenv >env\n" + lines + "\n");
        std::filesystem::permissions(path + "/mscale-node", std::filesystem::perms::owner_all);
    }
    void write_ledger(const mscale::contract::LedgerRecord& record) const
    {
        std::filesystem::create_directories(jobs());
        write("state/jobs/" + std::to_string(record.job_id) + ".json",
              mscale::contract::to_json(record).dump());
    }
    std::string read(const std::string& name) const
    {
        return mscale::read_file(path + "/" + name).value_or("");
    }
    std::string jobs() const { return path + "/state/jobs"; }

    std::string path;
    mscale::spank::Arguments arguments;
};
