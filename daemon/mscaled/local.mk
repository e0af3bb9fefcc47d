# mscaled: one a node.  libmunge, CLI11 and slurmdb are seen here.
if HAVE_SLURM
if HAVE_MUNGE
noinst_LTLIBRARIES += libmscaled.la
mscaled_sources = \
  daemon/mscaled/accounting.cpp \
  daemon/mscaled/child.cpp daemon/mscaled/child.hpp \
  daemon/mscaled/address_book.cpp daemon/mscaled/address_book.hpp \
  daemon/mscaled/attached_runs.cpp daemon/mscaled/attached_runs.hpp \
  daemon/mscaled/clause_view.cpp daemon/mscaled/clause_view.hpp \
  daemon/mscaled/cluster.cpp daemon/mscaled/cluster.hpp \
  daemon/mscaled/connection.cpp daemon/mscaled/connection.hpp \
  daemon/mscaled/contract_state.cpp daemon/mscaled/contract_state.hpp \
  daemon/mscaled/credential.cpp daemon/mscaled/credential.hpp \
  daemon/mscaled/daemon.cpp daemon/mscaled/daemon.hpp \
  daemon/mscaled/directory_notice.cpp daemon/mscaled/directory_notice.hpp \
  daemon/mscaled/drain.cpp daemon/mscaled/drain.hpp \
  daemon/mscaled/findings.cpp daemon/mscaled/findings.hpp \
  daemon/mscaled/framing.cpp daemon/mscaled/framing.hpp \
  daemon/mscaled/gpu_watch.cpp daemon/mscaled/gpu_watch.hpp \
  daemon/mscaled/jobs.cpp daemon/mscaled/jobs.hpp \
  daemon/mscaled/listener.cpp daemon/mscaled/listener.hpp \
  daemon/mscaled/local_socket.cpp daemon/mscaled/local_socket.hpp \
  daemon/mscaled/loop.cpp daemon/mscaled/loop.hpp \
  daemon/mscaled/message.cpp daemon/mscaled/message.hpp \
  daemon/mscaled/part.cpp daemon/mscaled/part.hpp \
  daemon/mscaled/part_book.cpp daemon/mscaled/part_book.hpp \
  daemon/mscaled/part_loss.cpp daemon/mscaled/part_loss.hpp \
  daemon/mscaled/part_search.cpp daemon/mscaled/part_search.hpp \
  daemon/mscaled/peers.cpp daemon/mscaled/peers.hpp \
  daemon/mscaled/post.cpp daemon/mscaled/post.hpp \
  daemon/mscaled/posts.cpp daemon/mscaled/posts.hpp \
  daemon/mscaled/processes.cpp daemon/mscaled/processes.hpp \
  daemon/mscaled/reconcile.cpp daemon/mscaled/reconcile.hpp \
  daemon/mscaled/report.cpp daemon/mscaled/report.hpp \
  daemon/mscaled/requests.cpp \
  daemon/mscaled/restart_counts.cpp daemon/mscaled/restart_counts.hpp \
  daemon/mscaled/role_process.cpp daemon/mscaled/role_process.hpp \
  daemon/mscaled/run_relay.cpp daemon/mscaled/run_relay.hpp \
  daemon/mscaled/run_service.cpp daemon/mscaled/run_service.hpp \
  daemon/mscaled/seats.cpp daemon/mscaled/seats.hpp \
  daemon/mscaled/site_file.cpp daemon/mscaled/site_file.hpp \
  daemon/mscaled/slurm_domains.cpp daemon/mscaled/slurm_domains.hpp \
  daemon/mscaled/slurm_jobs.cpp daemon/mscaled/slurm_jobs.hpp \
  daemon/mscaled/slurm_preemption.cpp \
  daemon/mscaled/slurm_nodes.cpp daemon/mscaled/slurm_nodes.hpp \
  daemon/mscaled/state_writer.cpp daemon/mscaled/state_writer.hpp \
  daemon/mscaled/status.cpp daemon/mscaled/status.hpp \
  daemon/mscaled/status_service.cpp daemon/mscaled/status_service.hpp \
  daemon/mscaled/survey.cpp daemon/mscaled/survey.hpp \
  daemon/mscaled/throttle.hpp \
  daemon/mscaled/watch.cpp daemon/mscaled/watch.hpp \
  daemon/mscaled/ways_back.cpp daemon/mscaled/ways_back.hpp \
  daemon/mscaled/worker.cpp daemon/mscaled/worker.hpp
failure_sources = \
  daemon/failure/beat.cpp daemon/failure/beat.hpp \
  daemon/failure/beat_socket.cpp daemon/failure/beat_socket.hpp \
  daemon/failure/failure.cpp daemon/failure/failure.hpp \
  daemon/failure/hearing.cpp daemon/failure/hearing.hpp \
  daemon/failure/inquest.cpp daemon/failure/inquest.hpp \
  daemon/failure/job_view.cpp daemon/failure/job_view.hpp \
  daemon/failure/job_watch.cpp daemon/failure/job_watch.hpp \
  daemon/failure/neighbours.cpp daemon/failure/neighbours.hpp \
  daemon/failure/node_down.cpp daemon/failure/node_down.hpp \
  daemon/failure/peer_network.hpp \
  daemon/failure/policy.cpp daemon/failure/policy.hpp \
  daemon/failure/slurmd_probe.cpp daemon/failure/slurmd_probe.hpp \
  daemon/failure/vote_round.cpp daemon/failure/vote_round.hpp \
  daemon/failure/voter.cpp daemon/failure/voter.hpp
keeper_sources = \
  daemon/charge/charge.cpp daemon/charge/charge.hpp \
  daemon/charge/charge_exit.hpp \
  daemon/charge/job_cgroup.cpp daemon/charge/job_cgroup.hpp \
  daemon/coding/coded_slot.cpp daemon/coding/coded_slot.hpp \
  daemon/coding/group_coder.cpp daemon/coding/group_coder.hpp \
  daemon/coding/held_piece.cpp daemon/coding/held_piece.hpp \
  daemon/coding/messages.cpp daemon/coding/messages.hpp \
  daemon/coding/piece_streams.cpp daemon/coding/piece_streams.hpp \
  daemon/coding/rebuild.cpp daemon/coding/rebuild.hpp \
  daemon/keeper/progress_book.cpp daemon/keeper/progress_book.hpp \
  daemon/keeper/adoption.cpp daemon/keeper/adoption.hpp \
  daemon/keeper/holder.cpp daemon/keeper/holder.hpp \
  daemon/keeper/unit_cgroup.cpp daemon/keeper/unit_cgroup.hpp \
  daemon/keeper/carrier.cpp daemon/keeper/carrier.hpp \
  daemon/keeper/exit_word.cpp daemon/keeper/exit_word.hpp daemon/keeper/exits.cpp daemon/keeper/exits.hpp \
  daemon/keeper/timed_saves.cpp daemon/keeper/timed_saves.hpp \
  daemon/keeper/gone_ranks.cpp daemon/keeper/gone_ranks.hpp \
  daemon/keeper/keeper.cpp daemon/keeper/keeper.hpp daemon/keeper/keeper_join.cpp daemon/keeper/keeper_save.cpp \
  daemon/keeper/keeper_spill.cpp \
  daemon/keeper/keeper_exit.cpp daemon/keeper/keeper_coding.cpp \
  daemon/keeper/keeper_snapshots.cpp daemon/keeper/snapshot_view.cpp daemon/keeper/snapshot_view.hpp \
  daemon/keeper/coordinator.cpp daemon/keeper/coordinator.hpp \
  daemon/keeper/keepers.cpp daemon/keeper/keepers.hpp \
  daemon/keeper/messages.cpp daemon/keeper/messages.hpp \
  daemon/keeper/piece_packet.cpp daemon/keeper/piece_packet.hpp \
  daemon/keeper/rank_channel.cpp daemon/keeper/rank_channel.hpp \
  daemon/keeper/run_start.cpp daemon/keeper/run_start.hpp \
  daemon/keeper/segment_memory.cpp daemon/keeper/segment_memory.hpp \
  daemon/keeper/segment_store.cpp daemon/keeper/segment_store.hpp \
  daemon/keeper/snapshot_server.cpp daemon/keeper/snapshot_server.hpp
requeue_sources = \
  daemon/requeue/departed_jobs.cpp daemon/requeue/departed_jobs.hpp \
  daemon/requeue/host_sockets.cpp daemon/requeue/host_sockets.hpp \
  daemon/requeue/holding_search.cpp daemon/requeue/holding_search.hpp \
  daemon/requeue/return_plan.cpp daemon/requeue/return_plan.hpp \
  daemon/requeue/preemptions.cpp daemon/requeue/preemptions.hpp \
  daemon/requeue/returns.cpp daemon/requeue/returns.hpp \
  daemon/requeue/set_up_again.cpp daemon/requeue/set_up_again.hpp \
  daemon/requeue/stepd_wait.cpp daemon/requeue/stepd_wait.hpp \
  daemon/requeue/waiting_stepds.cpp daemon/requeue/waiting_stepds.hpp
requeue_sources += \
  daemon/spill/request.cpp daemon/spill/request.hpp \
  daemon/spill/spill.cpp daemon/spill/spill.hpp
if UNITY
nodist_libmscaled_la_SOURCES = daemon/mscaled/unity.cpp daemon/failure/unity.cpp daemon/keeper/unity.cpp daemon/requeue/unity.cpp
else
libmscaled_la_SOURCES = $(mscaled_sources) $(failure_sources) $(keeper_sources) $(requeue_sources)
endif
daemon/mscaled/unity.cpp: Makefile
	$(call unite,$(mscaled_sources))
daemon/failure/unity.cpp: Makefile
	$(call unite,$(failure_sources))
daemon/keeper/unity.cpp: Makefile
	$(call unite,$(keeper_sources))
daemon/requeue/unity.cpp: Makefile
	$(call unite,$(requeue_sources))
libmscaled_la_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS) $(MUNGE_CFLAGS)
libmscaled_la_LIBADD = libverbs.la librecovery.la libslicing.la libcontract.la libhal.la libhaldata.la \
  libbase.la $(SLURM_LIBS) $(MUNGE_LIBS)

sbin_PROGRAMS += mscaled
mscaled_SOURCES = daemon/mscaled/main.cpp
mscaled_CPPFLAGS = $(AM_CPPFLAGS) $(SLURM_CPPFLAGS)
mscaled_LDADD = libmscaled.la
endif
endif
