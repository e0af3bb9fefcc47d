# The warnings that every file compiles without, and the hardening that costs nothing.
AC_DEFUN([MSCALE_WARNINGS], [
  AX_APPEND_COMPILE_FLAGS([-Wall -Wextra -Wpedantic -Wshadow -Wconversion -fvisibility=hidden -fstack-protector-strong],
                          [MSCALE_CXXFLAGS])
  AC_SUBST([MSCALE_CXXFLAGS])
])
