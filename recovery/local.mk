# Floor 3: snapshots of a job's state and the way back.  ISA-L and libsodium are seen here only.
noinst_LTLIBRARIES += librecovery.la
librecovery_sources = \
  recovery/admission.cpp recovery/admission.hpp \
  recovery/agreement.cpp recovery/agreement.hpp \
  recovery/boxes.cpp recovery/boxes.hpp \
  recovery/bytes.hpp \
  recovery/checksum.cpp recovery/checksum.hpp \
  recovery/choice.cpp recovery/choice.hpp \
  recovery/coded_part.cpp recovery/coded_part.hpp \
  recovery/coding.cpp recovery/coding.hpp \
  recovery/commit.cpp recovery/commit.hpp \
  recovery/cursor.cpp recovery/cursor.hpp \
  recovery/data_path.hpp \
  recovery/detector.cpp recovery/detector.hpp \
  recovery/extent.hpp \
  recovery/frame.cpp recovery/frame.hpp \
  recovery/frame_path.cpp recovery/frame_path.hpp \
  recovery/frame_stream.cpp recovery/frame_stream.hpp \
  recovery/held_copy.hpp \
  recovery/last_step.cpp recovery/last_step.hpp \
  recovery/manifest.cpp recovery/manifest.hpp recovery/check_manifest.cpp \
  recovery/piece_request.cpp recovery/piece_request.hpp \
  recovery/piece_transfer.cpp recovery/piece_transfer.hpp \
  recovery/placement.cpp recovery/placement.hpp \
  recovery/rebuild_plan.cpp recovery/rebuild_plan.hpp \
  recovery/redundancy.cpp recovery/redundancy.hpp \
  recovery/reshard.cpp recovery/reshard.hpp \
  recovery/restore_round.cpp recovery/restore_round.hpp \
  recovery/segment.cpp recovery/segment.hpp \
  recovery/session_key.cpp recovery/session_key.hpp \
  recovery/slot.cpp recovery/slot.hpp \
  recovery/spill_book.cpp recovery/spill_book.hpp \
  recovery/spill_file.cpp recovery/spill_file.hpp \
  recovery/timeline.cpp recovery/timeline.hpp recovery/timeline_svg.cpp \
  recovery/timing.cpp recovery/timing.hpp \
  recovery/transfer.cpp recovery/transfer.hpp
if UNITY
nodist_librecovery_la_SOURCES = recovery/unity.cpp
else
librecovery_la_SOURCES = $(librecovery_sources)
endif
recovery/unity.cpp: Makefile
	$(call unite,$(librecovery_sources))
librecovery_la_CPPFLAGS = $(AM_CPPFLAGS) $(ISAL_CFLAGS) $(SODIUM_CFLAGS)
librecovery_la_LIBADD = libbase.la $(ISAL_LIBS) $(SODIUM_LIBS)
