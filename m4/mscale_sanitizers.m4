# --enable-sanitizers=address,undefined
AC_DEFUN([MSCALE_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers=LIST], [build with these sanitizers, as in address,undefined])],
    [], [enable_sanitizers=no])
  AS_IF([test "x$enable_sanitizers" = xyes], [enable_sanitizers=address,undefined])
  AS_IF([test "x$enable_sanitizers" != xno],
    [MSCALE_CXXFLAGS="$MSCALE_CXXFLAGS -fsanitize=$enable_sanitizers -fno-sanitize-recover=all -fno-omit-frame-pointer"
     LDFLAGS="$LDFLAGS -fsanitize=$enable_sanitizers"])
])
