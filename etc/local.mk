# What a site installs and may change: mscale.conf with every key as a comment, and the profiles.  The completion goes where bash-completion looks.
profilesdir = $(sysconfdir)/mscale/profiles
dist_profiles_DATA = etc/profiles/mlvm-heavy.ini etc/profiles/mlvm-hybrid.ini etc/profiles/mlvm-light.ini
siteconfdir = $(sysconfdir)/mscale
dist_siteconf_DATA = etc/mscale.conf
completiondir = $(datadir)/bash-completion/completions
dist_completion_DATA = etc/completion/mscale
plugstackdir = $(docdir)/plugstack.conf.d
dist_plugstack_DATA = etc/plugstack.conf.d/mscale.conf
# The unit of mscaled, with the paths of this installation.
systemdunitdir = $(prefix)/lib/systemd/system
nodist_systemdunit_DATA = etc/systemd/mscaled.service
EXTRA_DIST += etc/systemd/mscaled.service.in
CLEANFILES += etc/systemd/mscaled.service
etc/systemd/mscaled.service: etc/systemd/mscaled.service.in
	$(AM_V_GEN)$(MKDIR_P) etc/systemd && \
	  sed -e 's|@sbindir[@]|$(sbindir)|' -e 's|@sysconfdir[@]|$(sysconfdir)|' $(srcdir)/etc/systemd/mscaled.service.in >$@
