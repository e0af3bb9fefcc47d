AC_DEFUN([MSCALE_TESTS], [
  have_check=no
  PKG_CHECK_MODULES([CHECK], [check >= 0.12], [have_check=yes], [have_check=no])
  AM_CONDITIONAL([HAVE_CHECK], [test "x$have_check" = xyes])
  AC_CHECK_PROG([BATS], [bats], [bats])
  AM_CONDITIONAL([HAVE_BATS], [test "x$BATS" != x])
])

AC_DEFUN([MSCALE_SUMMARY], [
  mscale_parts="mscale mscale-node"
  AS_IF([test "x$have_slurm" = xyes], [mscale_parts="$mscale_parts spank_mscale job_submit_mscale gres_sm"])
  AS_IF([test "x$have_slurm$have_munge" = xyesyes], [mscale_parts="$mscale_parts mscaled"])
  AC_MSG_NOTICE([

  mscale $PACKAGE_VERSION
    prefix               $prefix
    Slurm                $slurm_version
    plugin directory     $slurm_plugindir
    parts                $mscale_parts
    hwloc                $have_hwloc
    munge                $have_munge
    liburing             $have_liburing
    verbs                $have_verbs
    unity                $enable_unity
    sanitizers           $enable_sanitizers
    unit tests           $have_check
    command tests        ${BATS:-no}
  ])
])
