#pragma once

#include <check.h>

Suite* machine_classes_suite();
Suite* port_probe_suite();
Suite* recorded_job_suite();
Suite* recovery_time_suite();
Suite* snapshot_ground_suite();
Suite* run_decisions_suite();
Suite* run_end_suite();
Suite* run_gone_suite();
Suite* run_line_suite();
Suite* run_parts_suite();
Suite* run_silence_suite();
Suite* run_supervisor_suite();
Suite* run_verdict_suite();
