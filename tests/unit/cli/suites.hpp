#pragma once

#include <check.h>

Suite* port_probe_suite();
Suite* recorded_job_suite();
