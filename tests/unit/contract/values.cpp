#include "contract/values.hpp"

#include "tests/unit/contract/texts.hpp"

using namespace mscale;
using namespace mscale::contract;

namespace {

/// "ONEOF(2097152|ERR:ambiguous)" holds what was found; "ERR…" any refusal.
bool is_expected(const std::string& expected, const std::string& found)
{
    if (expected.starts_with("ONEOF(")) {
        for (const std::string_view one :
             split(std::string_view(expected).substr(6, expected.size() - 7), '|'))
            if (is_expected(std::string(one), found)) return true;
        return false;
    }
    return expected.starts_with("ERR") ? found == "ERR" : found == expected;
}

std::string size_found(const std::string& text, const std::string& what)
{
    const auto size = what == "hugepage size" ? read_page_size(text) : read_size(text);
    return size ? std::to_string(*size) : "ERR";
}

void expect_cure(const std::string& text, const std::string& cure)
{
    const auto size = read_size(text);
    ck_assert_msg(!size, "%s was read", text.c_str());
    expect_text(size.error().cure, cure);
}

} // namespace

START_TEST(every_size_of_the_cases_reads_as_its_row_says)
{
    for (const auto& row : case_rows("values/sizes.tsv")) {
        // Whether the kernel has such pages, and whole numbers of them, is the verdict's matter.
        if (row[2] == "ERR:unsupported" || row[2] == "ERR:multiple") continue;
        const std::string found = size_found(row[0], row[1]);
        ck_assert_msg(is_expected(row[2], found), "%s: %s, not %s", row[0].c_str(), found.c_str(),
                      row[2].c_str());
    }
}
END_TEST

START_TEST(a_wrong_unit_is_answered_with_the_one_that_was_meant)
{
    expect_cure("20MB", "write 20MiB");
    expect_cure("20Mi", "write 20MiB");
    expect_cure("20mib", "write 20MiB");
    expect_cure("20gb", "write 20GiB");
    expect_cure("2048kB", "write 2048KiB");
    expect_cure("2048", "write 2048MiB or another of KiB, MiB, GiB, TiB, or K, M, G, T");
    expect_cure("1.5G", "write it in the next smaller unit, as in 1536MiB");
}
END_TEST

START_TEST(sizes_never_wrap)
{
    ck_assert(!read_size("99999999999999999999K"));
    ck_assert(!read_size("17179869184G"));
    ck_assert(read_size("16777215T").has_value());
    ck_assert(!read_huge_pages("1GiB*17179869184"));
    ck_assert(!read_duration("18446744073709551616ms"));
    ck_assert(!read_duration("99999999h"));
}
END_TEST

START_TEST(sizes_are_written_in_the_largest_unit_that_divides_them)
{
    expect_text(write_size(1ULL << 30), "1GiB");
    expect_text(write_size(1536ULL << 20), "1536MiB");
    expect_text(write_size(1ULL << 44), "16TiB");
}
END_TEST

START_TEST(huge_pages_are_read_in_both_orders_and_in_the_kernels_unit)
{
    const HugePages wanted{2 << 20, 512};
    ck_assert(read_huge_pages("2MiB*512").value() == wanted);
    ck_assert(read_huge_pages("512x2MiB").value() == wanted);
    ck_assert(read_huge_pages("2048kB*512").value() == wanted);
    ck_assert(read_huge_pages("2m * 512").value() == wanted);
    expect_text(read_huge_pages("512*2MiB").error().cure, "write 2MiB*512");
    expect_text(read_huge_pages("1GiB").error().cure, "write SIZE*COUNT, as in 2MiB*512");
    ck_assert(!read_huge_pages("2MiB*0") && !read_huge_pages("2MiB*-1") && !read_huge_pages("*") &&
              !read_huge_pages("x"));
}
END_TEST

START_TEST(times_need_one_of_four_units)
{
    expect_text(write_duration(read_duration("60min").value()), "1h");
    expect_text(write_duration(read_duration("1500ms").value()), "1500ms");
    expect_text(read_duration("10m").error().cure, "write 10min");
    expect_text(read_duration("10").error().cure, "write 10s or another of ms, s, min, h");
    ck_assert(!read_duration("0s") && !read_duration("-1s") && !read_duration("") && !read_duration("2 s"));
}
END_TEST

START_TEST(a_number_counts_cores_and_a_list_names_cpus)
{
    ck_assert(std::get<unsigned>(read_cores("4").value()) == 4);
    ck_assert(std::get<CpuSet>(read_cores("[4]").value()) == CpuSet({4}));
    expect_text(write_cores(read_cores("2-3+8").value()), "[2-3,8]");
    expect_text(write_cores(read_cores("[8,2-3]").value()), "[2-3,8]");
    for (const char* wrong : {"0", "[]", "[3-2]", "[1,]", "[0xff]", "2-", "99999999999", "[9999]", "four"})
        ck_assert_msg(!read_cores(wrong), "%s was read", wrong);
}
END_TEST

START_TEST(every_disk_name_of_the_cases_is_taken_or_refused_as_its_row_says)
{
    for (const auto& row : case_rows("values/nvme_names.tsv")) {
        if (row[0] == "nvme") continue; // here it is the word for any NVMe namespace
        const bool is_taken = row[2].starts_with("yes") || row[1] == "symlink";
        const auto disk = read_disk(row[0]);
        ck_assert_msg(disk.has_value() == is_taken, "%s", row[0].c_str());
        if (!disk) ck_assert(disk.error().code == Code::bad_device && !disk.error().cure.empty());
    }
}
END_TEST

START_TEST(a_disk_is_told_by_what_was_meant)
{
    expect_text(read_disk("/dev/nvme0n1").value(), "nvme0n1");
    expect_text(read_disk("nvme0n1p1").error().cure, "write nvme0n1");
    expect_text(read_disk("nvme0").error().cure, "write nvme0n1");
    expect_text(read_disk("ng0n1").error().cure, "write nvme0n1");
    expect_text(read_disk("/dev/disk/by-id/nvme-eui.0025-part2").error().cure,
                "write /dev/disk/by-id/nvme-eui.0025");
    ck_assert(!read_disk("/dev/disk/by-id/nvme-../../sda") && !read_disk("/dev/disk/by-path/x") &&
              !read_disk("/etc/passwd"));
}
END_TEST

START_TEST(every_rdma_name_of_the_cases_is_read_as_far_as_its_form_goes)
{
    for (const auto& row : case_rows("values/hca_names.tsv")) {
        const auto port = read_rdma_port(row[0]);
        const bool is_form = row[0] == "=mlx5_1" || row[0] == "mlx5_1:0"; // the rest needs a machine
        ck_assert_msg(port.has_value() != is_form, "%s", row[0].c_str());
        if (!row[1].starts_with("ERR")) expect_text(port.value(), row[1]);
    }
    expect_text(read_rdma_port("=mlx5_1").error().cure, "write mlx5_1");
    ck_assert(!read_rdma_port("") && !read_rdma_port("mlx5_0:x") && !read_rdma_port("a/b:1"));
}
END_TEST

START_TEST(every_pci_address_of_the_cases_names_a_gpu_and_a_short_one_stays_short)
{
    for (const auto& row : case_rows("values/pci_ids.tsv")) {
        const auto gpu = read_gpu(trim(row[0]));
        ck_assert_msg(gpu.has_value() != row[1].starts_with("ERR"), "%s", row[0].c_str());
        if (row[1].starts_with("UNIQUE"))
            expect_text(write_gpu(*gpu), row[0]);
        else if (gpu)
            expect_text(write_gpu(*gpu), row[1]);
    }
    expect_text(write_gpu(read_gpu("1B:00.0").value()), "1b:00.0");
    expect_text(write_gpu(read_gpu("3").value()), "3");
    expect_text(read_pcie_domain("00000000:1B").value(), "0000:1b");
    ck_assert(!read_pcie_domain("81") && !read_pcie_domain("0000:81:00.0") && !read_pcie_domain("GPU"));
}
END_TEST

START_TEST(a_spill_path_is_absolute_and_plain)
{
    expect_text(read_spill_path("/scratch/%u/%j").value(), "/scratch/%u/%j");
    for (const char* wrong : {"scratch", "/a/../b", "/a b", "/a,b", "/a;b", "/%x", "/a%", "/a[1]"})
        ck_assert_msg(!read_spill_path(wrong), "%s was read", wrong);
    ck_assert(read_spill_path("/a..b").has_value());
    expect_text(read_spill_path("/tmp/%x").error().cure, "write %u, %j or no '%'");
}
END_TEST

START_TEST(a_wrong_word_is_answered_with_all_right_ones_and_the_nearest)
{
    const auto near = read_near("gpuu");
    expect_text(near.error().text, "'gpuu' is none of gpu, nic, disk, numa:N");
    expect_text(near.error().cure, "did you mean 'gpu'?");
    expect_text(read_near("GPU").error().cure, "did you mean 'gpu'?");
    ck_assert(read_near("numa:1").value() == (Near{Near::To::numa, 1}));
    ck_assert(!read_near("numa:N") && !read_near("numa:") && !read_near("numa:-1") &&
              !read_near("numa:99999"));
}
END_TEST

Suite* values_suite()
{
    return make_suite(
        "values", every_size_of_the_cases_reads_as_its_row_says,
        a_wrong_unit_is_answered_with_the_one_that_was_meant, sizes_never_wrap,
        sizes_are_written_in_the_largest_unit_that_divides_them,
        huge_pages_are_read_in_both_orders_and_in_the_kernels_unit, times_need_one_of_four_units,
        a_number_counts_cores_and_a_list_names_cpus,
        every_disk_name_of_the_cases_is_taken_or_refused_as_its_row_says, a_disk_is_told_by_what_was_meant,
        every_rdma_name_of_the_cases_is_read_as_far_as_its_form_goes,
        every_pci_address_of_the_cases_names_a_gpu_and_a_short_one_stays_short,
        a_spill_path_is_absolute_and_plain, a_wrong_word_is_answered_with_all_right_ones_and_the_nearest);
}
