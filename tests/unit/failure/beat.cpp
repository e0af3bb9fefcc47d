#include "daemon/failure/beat.hpp"

#include "tests/unit/failure/suites.hpp"

using namespace mscale;
using namespace mscale::daemon;
using namespace std::chrono_literals;
using recovery::SessionKey;

namespace {

Beat some_beat()
{
    return {12, 3, 77, false, "n1", {4, 1, 120, 130, 1'700'000'000'123ms, {3, 2}, 5}};
}

SessionKey some_key()
{
    return SessionKey::take("0123456789abcdef0123456789abcdef").value();
}

} // namespace

START_TEST(a_beat_is_read_as_it_was_written_and_proves_its_key)
{
    const std::string bytes = encode_beat(some_beat(), some_key());
    const auto read = read_beat(bytes);
    ck_assert(read && *read == some_beat());
    ck_assert(is_signed(bytes, some_key()));
    ck_assert(!is_signed(bytes, SessionKey::make()));
    Beat last = some_beat();
    last.farewell = true;
    ck_assert(read_beat(encode_beat(last, some_key())) == last);
}
END_TEST

START_TEST(one_bit_changed_anywhere_is_no_beat_or_not_signed)
{
    const std::string bytes = encode_beat(some_beat(), some_key());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
            ck_assert(!read_beat(changed) || !is_signed(changed, some_key()));
        }
    }
}
END_TEST

START_TEST(a_part_of_a_beat_or_more_than_one_is_none)
{
    const std::string bytes = encode_beat(some_beat(), some_key());
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto read = read_beat(bytes.substr(0, size));
        ck_assert(!read && read.error().code == Code::bad_frame);
    }
    ck_assert(!read_beat(bytes + '\0'));
    ck_assert(!read_beat(bytes + bytes));
    ck_assert(!is_signed("", some_key()) && !is_signed("short", some_key()));
}
END_TEST

START_TEST(a_beat_is_bounded_and_names_a_node)
{
    Beat beat = some_beat();
    beat.node = std::string(255, 'n');
    const std::string longest = encode_beat(beat, some_key());
    ck_assert(longest.size() <= most_beat_bytes && read_beat(longest) == beat);
    beat.node = std::string(300, 'n'); // cut, never longer than a datagram may be
    ck_assert(encode_beat(beat, some_key()).size() == longest.size());
    beat.node = "";
    ck_assert(!read_beat(encode_beat(beat, some_key())));
    ck_assert(!read_beat(std::string(most_beat_bytes + 1, 'x')));
}
END_TEST

START_TEST(another_version_is_named)
{
    std::string bytes = encode_beat(some_beat(), some_key());
    bytes[4] = 3;
    const auto read = read_beat(bytes);
    ck_assert(!read);
    expect_text(read.error().text, "a beat of version 3, not 2");
}
END_TEST

Suite* beat_suite()
{
    return make_suite("beat", a_beat_is_read_as_it_was_written_and_proves_its_key,
                      one_bit_changed_anywhere_is_no_beat_or_not_signed,
                      a_part_of_a_beat_or_more_than_one_is_none, a_beat_is_bounded_and_names_a_node,
                      another_version_is_named);
}
