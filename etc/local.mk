# etc
dist_noinst_DATA += etc/systemd/mscaled.service
