# mscale-holder: the descriptors of snapshots, for as long as mscaled is away.  It needs no library.
if HAVE_SLURM
if HAVE_MUNGE
sbin_PROGRAMS += mscale-holder
mscale_holder_SOURCES = daemon/holder/main.cpp daemon/holder/packet.hpp daemon/holder/record.hpp
endif
endif
