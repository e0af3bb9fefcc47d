# Manuals, in mdoc; each clause and each key must stand in them (tests/unit/contract/shipped.cpp).
dist_man_MANS += man/mscale.1 man/mscale-contract.7 man/mscale.conf.5 man/mscale-node.8 man/mscaled.8 man/spank_mscale.8 \
  man/mscale_get_part.3 man/mscale_init.3 man/mscale_io_open.3 man/mscale_role_enter.3 man/mscale_start_restart.3 man/mscale_start_save.3
