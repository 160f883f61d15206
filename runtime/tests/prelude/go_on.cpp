// A thread that goes on after a failed check has no more effect.
#include <stdio.h>
#define CHECK(condition) do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); return 1; } } while (0)
int main() {
    u64 word = 0;
    ab::record record[64] = {};
    ab::fault fault = {&word, record, 0, 0, 0, 0};
    f32 buffer[4] = {1, 2, 3, 4};
    {
        const ab::thread ab_cx{&fault};
        const ab::slice<f32> x{buffer, 4};
        CHECK(!ab_cx.failed());
        x.at(ab_cx, 5, 9) = 7;
        CHECK(ab_cx.failed() && record->site == 5 && record->a == 9 && record->b == 4);
        // It writes no element, of a buffer or of its own, and reports no second failure.
        x.at(ab_cx, 6, 1) = 8;
        x.at_narrow(ab_cx, 6, 77) = 8;
        ab::array<f32, 3> own = {{5, 6, 7}};
        own.at(ab_cx, 7, 1) = 9;
        own.at(ab_cx, 7, 11) = 9;
        CHECK(own.e[0] == 5 && own.e[1] == 6 && own.e[2] == 7 && record->site == 5);
    }
    for (int i = 0; i < 4; i++) CHECK(buffer[i] == i + 1);
    word = record->site = 0;
    {
        // What fails in a lent context fails in the phase's, and in no other.
        const ab::thread own{&fault, 0}, all{own, true};
        ab::lend(own, all);
        ab::die(all, 3, 0, 0);
        CHECK(all.failed() && own.failed() && record->site == 3);
        ab::give_back(all);
        CHECK(!all.failed() && own.failed() && all.mute && !own.mute);
        // Behind a barrier, a loop of all threads ends.
        ab::may_not_end(all);
        CHECK(!all.failed());
        ab::meet(own);
        ab::may_not_end(all);
        CHECK(all.failed());
    }
    word = record->site = 0;
    {
        // What fails in all threads goes on in no phase.
        const ab::thread own{&fault, 0}, all{own, false};
        CHECK(!ab::enter(own, all).failed());
        ab::die(all, 4, 0, 0);
        CHECK(!own.failed() && ab::enter(own, all).failed());
    }
    return 0;
}
