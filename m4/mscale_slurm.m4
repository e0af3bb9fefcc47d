# --with-slurm=DIR (an installation's prefix or a directory of headers), --with-slurm-plugindir=DIR
AC_DEFUN([MSCALE_SLURM], [
  AC_ARG_WITH([slurm], [AS_HELP_STRING([--with-slurm=DIR], [prefix of Slurm, or a directory that holds slurm/slurm.h; no: leave the plugins out])],
    [], [with_slurm=auto])
  AC_ARG_WITH([slurm-plugindir], [AS_HELP_STRING([--with-slurm-plugindir=DIR], [where Slurm looks for plugins @<:@LIBDIR/slurm@:>@])],
    [slurm_plugindir=$withval], [slurm_plugindir='${libdir}/slurm'])
  have_slurm=no
  slurm_version=none
  SLURM_CPPFLAGS=
  SLURM_LIBS=-lslurm
  AS_CASE([$with_slurm],
    [no], [],
    [auto|yes], [AC_CHECK_HEADER([slurm/slurm.h], [have_slurm=yes])],
    [AS_IF([test -f "$with_slurm/include/slurm/slurm.h"],
       [have_slurm=yes; SLURM_CPPFLAGS="-I$with_slurm/include"; SLURM_LIBS="-L$with_slurm/lib -lslurm"],
       [test -f "$with_slurm/slurm/slurm.h"], [have_slurm=yes; SLURM_CPPFLAGS="-I$with_slurm"],
       [AC_MSG_ERROR([no slurm/slurm.h in $with_slurm or $with_slurm/include])])])
  AS_IF([test "x$with_slurm$have_slurm" = xyesno], [AC_MSG_ERROR([slurm/slurm.h was not found: install libslurm-dev])])
  AS_IF([test "x$have_slurm" = xyes], [
    save_CPPFLAGS=$CPPFLAGS; CPPFLAGS="$CPPFLAGS $SLURM_CPPFLAGS"
    AC_COMPUTE_INT([slurm_number], [SLURM_VERSION_NUMBER], [#include <slurm/slurm.h>], [AC_MSG_ERROR([SLURM_VERSION_NUMBER can't be read])])
    CPPFLAGS=$save_CPPFLAGS
    slurm_version=$(printf '%d.%02d.%d' $((slurm_number >> 16)) $((slurm_number >> 8 & 255)) $((slurm_number & 255)))])
  AC_SUBST([SLURM_CPPFLAGS])
  AC_SUBST([SLURM_LIBS])
  AC_SUBST([slurm_plugindir])
  AC_DEFINE_UNQUOTED([MSCALE_SLURM_VERSION], ["$slurm_version"], [The Slurm that the plugins were built for])
  AM_CONDITIONAL([HAVE_SLURM], [test "x$have_slurm" = xyes])
])
