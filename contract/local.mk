# Floor 2: the language, the verdict and the plan.  Pure: judges what hal read, reads no machine itself.
noinst_LTLIBRARIES += libcontract.la
libcontract_sources = \
  contract/ledger.hpp contract/ledger_files.cpp contract/ledger_json.cpp \
  contract/mode.cpp contract/mode.hpp \
  contract/site.cpp contract/site.hpp contract/site_keys.cpp contract/site_keys.hpp \
  contract/state.cpp contract/state.hpp \
  contract/verified.cpp contract/verified.hpp
if UNITY
nodist_libcontract_la_SOURCES = contract/unity.cpp
else
libcontract_la_SOURCES = $(libcontract_sources)
endif
contract/unity.cpp: Makefile
	$(call unite,$(libcontract_sources))
libcontract_la_LIBADD = libhaldata.la libbase.la
# The language: from a text to a contract and back.
libcontract_sources += \
  contract/canonical.cpp \
  contract/clause_names.cpp contract/clause_names.hpp \
  contract/clause_row.hpp \
  contract/clauses.cpp contract/clauses.hpp \
  contract/clauses_contract.cpp contract/clauses_ft.cpp contract/clauses_gpu.cpp \
  contract/clauses_rdma.cpp contract/clauses_role.cpp \
  contract/conflicts.cpp contract/conflicts.hpp \
  contract/contract.hpp \
  contract/contract_file.cpp \
  contract/lexer.cpp contract/lexer.hpp \
  contract/options.cpp \
  contract/parse.cpp contract/parse.hpp \
  contract/profiles.cpp \
  contract/redundancy.cpp contract/redundancy.hpp \
  contract/role_place.cpp contract/role_place.hpp \
  contract/source_text.cpp contract/source_text.hpp \
  contract/value_name.cpp contract/value_place.cpp contract/value_size.cpp contract/value_time.cpp \
  contract/values.hpp
# The verdict: from a contract and a machine to a plan or refusals.
libcontract_sources += \
  contract/allocation.hpp \
  contract/changes.cpp contract/changes.hpp \
  contract/core_pool.cpp contract/core_pool.hpp \
  contract/device.cpp contract/device.hpp \
  contract/draft.cpp contract/draft.hpp \
  contract/given.cpp contract/given.hpp \
  contract/gpu_slice.cpp contract/gpu_slice.hpp \
  contract/gres_conf.cpp contract/gres_conf.hpp \
  contract/nearest_contract.cpp \
  contract/nearest_text.cpp contract/nearest_text.hpp \
  contract/offers.cpp contract/offers.hpp \
  contract/page_room.cpp contract/page_room.hpp \
  contract/place_gpus.cpp contract/place_gpus.hpp \
  contract/draw_plan.cpp \
  contract/plan.hpp contract/plan_json.cpp \
  contract/port_text.cpp contract/port_text.hpp \
  contract/rails.cpp contract/rails.hpp \
  contract/refusal.cpp \
  contract/kept_job.cpp contract/kept_job.hpp \
  contract/last_snapshot.cpp contract/last_snapshot.hpp \
  contract/refused_file.cpp contract/refused_file.hpp \
  contract/verdict.hpp contract/verify.cpp \
  contract/verify_abilities.cpp \
  contract/verify_core_sets.cpp \
  contract/verify_cores.cpp \
  contract/verify_disks.cpp \
  contract/verify_domains.cpp \
  contract/verify_ft.cpp \
  contract/verify_gpus.cpp \
  contract/verify_hugepages.cpp \
  contract/verify_policy.cpp \
  contract/verify_rdma.cpp
