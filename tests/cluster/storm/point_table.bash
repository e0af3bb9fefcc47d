# The points of the protocol, one a row: ROLE of the node, PROGRAM, function, and the moment: save (comes by itself), restore
# (after a rank was killed) or leave (after `mscale run` was told to end).  Roles: first is the node of the batch script and so of
# the coordinator, other and third hold ranks and copies.
keeper_points() {
    cat <<'TABLE'
other mscaled mscale::daemon::Keeper::on_sealed save
other mscaled mscale::daemon::Carrier::copy save
other mscaled mscale::daemon::Carrier::send_to save
third mscaled mscale::daemon::SnapshotServer::take_copy save
other mscaled mscale::daemon::Keeper::on_copied save
other mscaled mscale::daemon::Keeper::prepare save
first mscaled mscale::daemon::Coordinator::answer_prepare save
first mscaled mscale::daemon::Coordinator::commit save
first mscaled mscale::daemon::Coordinator::keep_on save
other mscaled mscale::daemon::Keeper::keep save
first mscaled mscale::daemon::Coordinator::announce save
first mscaled mscale::daemon::SegmentStore::commit save
other mscaled mscale::daemon::SegmentStore::commit save
other mscaled mscale::daemon::Keeper::on_join restore
other mscaled mscale::daemon::Keeper::on_memory restore
first mscaled mscale::daemon::Coordinator::answer_restore restore
first mscaled mscale::daemon::Coordinator::take_holdings restore
other mscaled mscale::daemon::Keeper::hold restore
other mscaled mscale::daemon::RunStart::bring restore
other mscaled mscale::daemon::Carrier::bring restore
other mscaled mscale::daemon::RunStart::on_brought restore
other mscaled mscale::daemon::RunStart::let_go restore
other mscaled mscale::daemon::Keeper::welcome restore
other mscaled mscale::daemon::Keeper::on_taken restore
other mscaled mscale::daemon::RunStart::confirm restore
first mscaled mscale::daemon::Exits::notice leave
first mscaled mscale::daemon::Exits::tell_all leave
other mscaled mscale::daemon::Keeper::push leave
other mscaled mscale::daemon::Keeper::on_ending leave
other mscaled mscale::daemon::Exits::announce leave
other mscaled mscale::daemon::Keeper::on_program_end leave
TABLE
}
rank_points() {
    cat <<'TABLE'
other python3 mscale::library::Client::progress save
other python3 mscale::library::Client::start_save save
other python3 mscale::library::Client::put save
other python3 mscale::library::Client::complete_save save
other python3 mscale::library::Save::seal save
other python3 mscale::library::Client::tell_sealed save
other python3 mscale::library::Session::join_once restore
other python3 mscale::library::Session::accept restore
other python3 mscale::library::Client::start_restart restore
other python3 mscale::library::Restore::open restore
other python3 mscale::library::Client::get restore
other python3 mscale::library::Client::complete_restart restore
other python3 mscale::library::Client::ask_restore restore
other python3 mscale::library::Client::take leave
other python3 mscale::library::Departure::announce leave
other python3 mscale::library::Client::wait_for_slot leave
other python3 mscale::library::Client::leave leave
other python3 mscale::library::Client::wait_for_commit leave
other python3 mscale::library::Session::leave leave
TABLE
}
# The death of the script's own node is a requeue, which gives the job its spares back.
of_first() { grep '^first '; }
of_others() { grep -v '^first '; }
