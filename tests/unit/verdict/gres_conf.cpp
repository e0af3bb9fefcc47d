#include "contract/gres_conf.hpp"

#include "tests/unit/verdict/machines.hpp"
#include "tests/unit/verdict/suites.hpp"

using namespace mscale;
using namespace mscale::contract;

START_TEST(gpu_lines_name_device_files_and_slurms_core_numbers)
{
    const GresLines lines = make_gres_lines(two_sockets(), "n[1-4]", "sm", "/dev/mscale");
    ck_assert_uint_eq(lines.gres_conf.size(), 2);
    ck_assert_str_eq(lines.gres_conf[0].c_str(),
                     "NodeName=n[1-4] Name=gpu Type=h100 File=/dev/nvidia1 Cores=0-3");
    ck_assert_str_eq(lines.gres_conf[1].c_str(),
                     "NodeName=n[1-4] Name=gpu Type=h100 File=/dev/nvidia0 Cores=4-7");
    ck_assert(any_holds(lines.notes, "23.11"));
    ck_assert(any_holds(lines.slurm_conf, "Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 Gres=gpu:h100:2"));
}
END_TEST

START_TEST(one_gpu_is_sliced_into_a_file_for_each_chunk)
{
    hal::Machine machine = two_sockets();
    machine.gpus.pop_back();
    const GresLines lines = make_gres_lines(machine, "n1", "sm", "/dev/mscale");
    ck_assert_str_eq(lines.gres_conf[1].c_str(),
                     "NodeName=n1 Name=sm Type=h100 File=/dev/mscale/gpu0-slice[0-15]");
    ck_assert(any_holds(lines.slurm_conf, "GresTypes=gpu,sm"));
    ck_assert(any_holds(lines.slurm_conf, "Gres=gpu:h100:1,sm:h100:16"));
}
END_TEST

START_TEST(a_machine_without_gpus_has_no_gres)
{
    hal::Machine machine = two_sockets();
    machine.gpus.clear();
    ck_assert(make_gres_lines(machine, "n1", "sm", "/dev/mscale").gres_conf.empty());
}
END_TEST

START_TEST(cpu_numbers_where_cores_belong_are_found)
{
    const hal::Machine machine = two_sockets();
    expect_part(check_gres_line(machine, "Name=gpu File=/dev/nvidia0 Cores=4-7,12-15").value_or(""),
                "write Cores=4-7");
    ck_assert(!check_gres_line(machine, "Name=gpu File=/dev/nvidia0 Cores=4-7"));
    ck_assert(!check_gres_line(machine, "# Name=gpu Cores=4-99"));
    ck_assert(check_gres_line(machine, "Name=gpu Cores=4-99"));
}
END_TEST

Suite* gres_conf_suite()
{
    return make_suite("gres_conf", gpu_lines_name_device_files_and_slurms_core_numbers,
                      one_gpu_is_sliced_into_a_file_for_each_chunk, a_machine_without_gpus_has_no_gres,
                      cpu_numbers_where_cores_belong_are_found);
}
