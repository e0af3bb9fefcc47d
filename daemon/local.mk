# The daemons: mscale-node sets one job up on one node, mscaled watches over the node.
include daemon/mscaled/local.mk
