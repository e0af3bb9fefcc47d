# Manuals, in mdoc; each clause and each key must stand in them (tests/unit/contract/shipped.cpp).
dist_man_MANS += man/mscale.1 man/mscale-contract.7 man/mscale.conf.5 man/mscale-node.8 man/mscaled.8 man/spank_mscale.8
