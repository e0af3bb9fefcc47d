# Required: header-only helpers and inih.  Optional, each by --with-X=auto|yes|no: hwloc, munge,
# liburing, verbs.
AC_DEFUN([MSCALE_OPTIONAL], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=auto|yes|no], [$4])], [], [with_$1=auto])
  have_$1=no
  AS_IF([test "x$with_$1" != xno],
    [PKG_CHECK_MODULES([$2], [$3], [have_$1=yes],
      [AC_CHECK_HEADER([$5], [AC_CHECK_LIB([$1], [$6], [have_$1=yes; $2_LIBS="-l$1"], [have_$1=no])], [have_$1=no])])
     AS_IF([test "x$with_$1$have_$1" = xyesno], [AC_MSG_ERROR([--with-$1=yes, but $1 was not found])])])
  AS_IF([test "x$have_$1" = xyes], [AC_DEFINE([HAVE_$2], [1], [Define to 1 when $1 is there])])
  AM_CONDITIONAL([HAVE_$2], [test "x$have_$1" = xyes])
])

AC_DEFUN([MSCALE_HEADER], [
  AC_CHECK_HEADER([$1], [], [AC_MSG_ERROR([$1 is needed: install $2])])
])

AC_DEFUN([MSCALE_LIBRARIES], [
  AC_CONFIG_HEADERS([config.h])
  MSCALE_HEADER([tl/expected.hpp], [libexpected-dev])
  MSCALE_HEADER([fmt/format.h], [libfmt-dev])
  MSCALE_HEADER([nlohmann/json.hpp], [nlohmann-json3-dev])
  MSCALE_HEADER([CLI/CLI.hpp], [libcli11-dev])
  PKG_CHECK_MODULES([INIH], [inih])
  MSCALE_OPTIONAL([hwloc], [HWLOC], [hwloc >= 2.0], [topology by hwloc], [hwloc.h], [hwloc_topology_init])
  PKG_CHECK_MODULES([ISAL], [libisal])
  PKG_CHECK_MODULES([SODIUM], [libsodium])
  MSCALE_OPTIONAL([liburing], [URING], [liburing], [spilled snapshots are written by io_uring], [liburing.h],
    [io_uring_queue_init])
  MSCALE_OPTIONAL([verbs], [VERBS], [libibverbs librdmacm], [snapshots by RDMA], [rdma/rdma_cma.h], [rdma_create_id])
  MSCALE_OPTIONAL([munge], [MUNGE], [munge], [credentials by munge], [munge.h], [munge_encode])
])
