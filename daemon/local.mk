# The daemons: mscale-node sets one job up on one node, mscaled watches over the node, mscale-holder keeps memory for it,
# mscale-charge fills it at a job's expense, mscale-spill writes and reads files as a job's user.
include daemon/mscaled/local.mk
# The programs of a node: mscale-node acts for a job and ends, mscaled watches.
include daemon/node/local.mk
include daemon/holder/local.mk
include daemon/spill/local.mk
include daemon/charge/local.mk
