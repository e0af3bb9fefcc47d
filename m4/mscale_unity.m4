# --enable-unity: each library is compiled as one file, so that its headers are read once.  The linker then leaves out what a
# plugin doesn't use, as it does where each source is an object of its own.
AC_DEFUN([MSCALE_UNITY], [
  AC_ARG_ENABLE([unity],
    [AS_HELP_STRING([--enable-unity], [compile each library as one file: a whole build is several times as fast])],
    [], [enable_unity=no])
  AM_CONDITIONAL([UNITY], [test "x$enable_unity" = xyes])
  AS_IF([test "x$enable_unity" = xyes],
    [MSCALE_CXXFLAGS="$MSCALE_CXXFLAGS -ffunction-sections -fdata-sections"
     LDFLAGS="$LDFLAGS -Wl,--gc-sections"])
])
