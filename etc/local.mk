# etc
dist_noinst_DATA += etc/systemd/mscaled.service
# What a site installs and may change: the profiles.  The completion goes where bash-completion looks.
profilesdir = $(sysconfdir)/mscale/profiles
dist_profiles_DATA = etc/profiles/mlvm-heavy.ini etc/profiles/mlvm-hybrid.ini etc/profiles/mlvm-light.ini
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = etc/completion/mscale
plugstackdir = $(docdir)/plugstack.conf.d
dist_plugstack_DATA = etc/plugstack.conf.d/mscale.conf
