//! What every device must do: functions over a device and one of its streams, which the suites of
//! the CPU and of the GPU turn into tests by [`cases!`](crate::cases!).
//!
//! Integers, and floats where IEEE 754 leaves no choice, are equal on all devices. Elsewhere
//! `close` says how far a GPU may be off.
#![allow(missing_docs, reason = "the names of the cases say what they check")]

pub mod algorithms;
pub mod arithmetic;
pub mod atomics;
pub mod barriers;
pub mod benchmarks;
pub mod block_atomics;
pub mod blocks;
pub mod called;
pub mod closures;
pub mod collectives;
pub mod comparisons;
pub mod control;
pub mod copies;
pub mod enums;
pub mod events;
pub mod failures;
pub mod functions;
pub mod fused;
pub mod graphs;
pub mod grids;
pub mod groups;
pub mod halves;
pub mod hostile;
pub mod indexing;
pub mod indirect;
pub mod iteration;
pub mod joins;
pub mod known;
pub mod lane_functions;
pub mod lanes;
pub mod language;
pub mod library;
pub mod matrices;
pub mod members;
pub mod methods;
pub mod newcomers;
pub mod numeric;
pub mod order;
pub mod outcomes;
pub mod own_values;
pub mod parts;
pub mod passed;
pub mod patterns;
pub mod phases;
pub mod phases_in_lanes;
pub mod ported;
pub mod prints;
pub mod random;
pub mod ranges;
pub mod reductions;
pub mod regressions;
pub mod rows;
pub mod scratch;
pub mod slices;
pub mod states;
pub mod streams;
pub mod structs;
pub mod summaries;
pub mod traits;
pub mod warps;

use anabranch::prelude::*;

/// A `#[test]` of every case, in a module a topic. The argument is a path to a function that gets
/// the case, a `fn(&Device, &Stream)`, and calls it.
#[macro_export]
macro_rules! cases {
    ($on:path) => {
        $crate::cases! { $on:
            algorithms {
                kept_elements, a_kept_element_without_room,
                first_of_each_run, histograms, a_histogram_of_one_number,
                keys_i8, keys_i16, keys_i32, keys_i64, keys_i128, keys_isize, keys_u8, keys_u16, keys_u32, keys_u64, keys_u128, keys_usize,
                keys_f32, keys_f64, keys_f16, keys_bf16,
                in_groups_and_graphs, scratch_that_is_too_short,
            }
            arithmetic {
                operators_i8, operators_i16, operators_i32, operators_i64, operators_i128, operators_isize,
                operators_u8, operators_u16, operators_u32, operators_u64, operators_u128, operators_usize,
                operators_f32, operators_f64, quotients, compound, casts, inferred,
            }
            atomics {
                operations_are_those_of_std, nothing_is_lost, least_and_greatest, sums_of_floats, groups_share_atomics,
                device_functions_get_atomics, one_of_many_wins, an_operation_of_ones_own, in_the_order_of_rust,
                a_bad_index_is_reported, parts_of_buffers_are_atomics, indexes_that_change_when_they_are_read,
                names_of_one_spelling, stores_in_fields_without_a_size,
            }
            benchmarks { resources_of_loops, saxpy, stencil, blur, matmul, all_pairs, heat, scans_and_histograms, tiny_groups, independent_loops }
            called {
                shapes, captured, parts_and_lengths, values_are_evaluated_once_and_in_order, kernels_anywhere, generic,
                atomics_are_handed_on, grids_are_lent, recursion, ways_out, errors_name_the_callers, plans_and_sources,
                nothing_runs_after_an_error, slices_change_places, places_in_groups, places_of_other_kinds,
                names_of_generated_code,
            }
            closures { closures, closures_in_variables, statements_that_leave, questions_convert_errors }
            slices {
                fields_of_structs, structs_that_are_lent, all_kinds_of_fields, values_with_lifetimes, structs_in_graphs,
                errors_name_the_fields, streams_wait_for_fields,
            }
            passed {
                closures_of_the_host, closures_in_generic_code, closures_wherever_device_code_is, closures_in_graphs,
                checks_in_closures, keys_of_a_sort, names_in_closures_of_macros,
            }
            control { order, loops, to_the_end, names, names_with_meanings, device_functions_run_on_the_host_and_in_kernels }
            copies {
                new_pinned_memory_is_zero, grids_are_rows_of_elements, there_and_back, a_read_of_the_host_waits_for_the_copy,
                a_write_of_the_host_waits_for_the_copy, what_the_host_touches_while_copies_are_under_way,
                copies_and_launches_on_two_streams,
                copies_of_one_pinned_buffer_on_two_streams, pinned_memory_dropped_during_a_copy, parts,
                from_buffer_to_buffer, fills, a_panic_is_told_where_a_copy_is_read, what_does_not_fit_is_refused, pipeline,
                many_copies_from_one_buffer, parts_do_what_buffers_do, new_buffers, large_copies,
            }
            events {
                handles_come_and_go, two_streams_and_the_default_one, streams_wait_for_streams, the_host_waits_for_an_event, the_host_waits_for_the_device,
                an_event_gates_everyone_who_waits, of_two_events_of_a_stream_the_last_counts,
                a_wait_outlives_its_event, times, priorities, handles_outlive_the_one_of_the_device,
            }
            failures {
                a_bad_index_is_reported_where_it_stands_and_the_device_works_on, reading_a_buffer_reports_the_panic_too,
                division_says_what_rust_says, a_panic_in_one_group_leaves_the_others_alone,
                an_access_that_must_fail_is_refused_before_the_loop, rows_that_overlap_are_refused, a_verdict_is_of_its_numbers, what_has_wrapped_is_not_taken_for_what_it_was,
                a_buffer_of_another_device_is_refused, one_launch_is_reported_once, every_panic_says_what_rust_says,
                every_kind_of_panic_in_one_of_three_groups, a_panic_on_one_stream_leaves_the_others_alone,
                a_panic_is_told_by_every_call_that_waits, two_failing_launches_of_a_kernel_are_one_report,
                of_the_panics_of_two_kernels_the_first_is_told, each_thread_whose_launch_may_have_failed_is_told,
                what_a_thread_has_left_is_told_to_who_reads_it,
            }
            barriers {
                digits_are_counted_before_keys_move, tokens_are_found_before_they_are_read, a_maximum_is_read_before_the_sum_begins,
                a_sum_is_read_before_its_place_is_used_again, a_mailbox_is_read_before_it_is_written_again, one_phase_has_no_order,
                no_way_loses_a_barrier,
            }
            block_atomics {
                histograms_of_blocks, counters_in_rounds, atomics_in_rows_and_planes, places_from_a_counter,
                a_bin_that_is_not_there, names_like_those_of_atomics,
            }
            blocks {
                products_by_tiles, clipped_tiles, conditions_that_wrap, conditions_that_divide, values_of_each_thread, code_outside_of_phases, races_are_refused, trees, failed_checks_of_threads,
                loops_do_not_wait_for_failed_threads, a_block_prints_once, methods_of_elements, variables_of_threads_in_rounds, ends_that_a_phase_writes,
                numbers_that_wrap,
            }
            collectives {
                folds_of_integers, folds_of_floats, folds_of_halves, special_floats, dot_products, decisions_of_all_threads, rounds_of_collectives,
                scans_of_phases, parts_without_gaps, types_are_inferred, failed_checks_of_values, values_of_any_type, reductions_by_functions_of_the_user,
            }
            fused { maps_as_one, reductions_with_loops, where_it_is_not_the_same, where_a_check_can_fail, grids_groups_and_scratch }
            functions { references_and_slices, elements_that_a_call_borrows, instances_of_generic_kernels, instances_share_no_verdict, vectors }
            graphs {
                replays_are_launches, a_picture_of_step, replays_are_ordered_by_their_buffers, a_graph_owns_what_it_touches,
                host_values_are_those_of_the_capture, work_beside_a_capture_is_refused, what_cannot_be_captured_says_so,
                a_stream_that_outlives_its_capture_is_like_others, panics_of_replays_are_told, graphs_of_many_threads,
                captures_of_many_threads, graphs_leave_other_buffers_alone, a_graph_beside_a_launch_on_other_columns, launches_at_the_end_of_a_capture, a_graph_in_a_host_part, an_empty_graph_does_nothing, copies_are_captured,
                fills_are_captured,
            }
            own_values { copies_are_not_changed, structs_that_are_aligned_more_in_cpp, branches_that_end_with_a_panic }
            parts { programs, in_host_parts, in_arguments, bounds_of_parts }
            grids {
                planes, in_place, volumes, indexes_from_data, parts_of_elements, rows_of_grids, every_dimension_has_its_bounds,
                many_grids, rows_with_bins_from_data,
            }
            iteration { every_function_on_every_row, rows, weighted, chains, of_other_places, a_part_that_is_not_there }
            joins {
                several_loops_a_group, before_between_and_after, a_single_group, groups_that_launch_nothing,
                an_inner_join_comes_before_the_outer_one, the_same_kernel_on_two_streams,
                queued_launches_keep_their_arguments, ways_out_of_a_block,
                a_launch_while_a_panic_unwinds,
            }
            known { transforms, images, algebra, tables, beyond_the_rules }
            indexing { parts_at_any_depth, operators_run_once_and_in_order, a_part_that_is_not_there }
            indirect { sparse_product, gathers, counts, partners, inner_ranges, names_in_inner_loops }
            library {
                in_every_place, captured, ordered_by_their_buffers, errors_are_those_of_the_library, panics_are_panics,
                the_stream_is_lent, bodies_can_wait, grids_and_atomics, plans_and_sources,
            }
            lane_functions {
                of_functions_and_methods, that_see_what_came_before, that_change_what_they_are_called_on, of_traits, with_elements_of_their_own, with_ranges_of_their_own, with_values_that_are_large,
            }
            lanes {
                values_of_user_types, loops_that_are_left, branches_with_loops_and_stores, reads_that_do_not_happen, special_values,
                what_runs_one_by_one,
                names_that_hide_others, variables_of_variables, limits_behind_sums_that_wrap, elements_far_away, types_of_their_own, operators_that_nobody_asks_for,
            }
            language { every_function_on_every_number }
            groups {
                step, host_code_in_groups, nested, ping_pong, launches_from_eight_threads, views_of_parts_of_buffers,
                many_groups, spin,
            }
            halves {
                every_f16, every_bf16, pairs_of_f16, pairs_of_bf16, kernels_of_any_float, places_of_halves, grids_of_halves,
                texts_and_failures_of_halves,
            }
            hostile {
                lengths_are_those_of_the_buffers, arrays_have_their_own_lengths, a_launch_says_itself_what_it_uses,
                constants_of_inner_blocks, constants_by_an_alias, ranges_that_read_as_short_ones,
                expressions_of_a_macros_caller, types_of_inner_items, functions_that_hide_variables, constants_of_bodies, starts_come_first, what_seems_to_cancel, giant_steps, numbers_have_their_own_types, too_many_numbers_are_no_proof,
                methods_that_are_not_those_of_integers,
            }
            comparisons { an_order_alone, derived_and_written, of_numbers_as_before }
            matrices {
                transpositions, products_of_matrices, products_with_a_last_step, products_of_batches, products_in_groups,
                parts_of_matrices, parts_of_batches, infinite_elements_of_matrices,
            }
            members { parts_of_host_values, numbers_of_tables }
            newcomers { atomics_in_reductions, ranges_that_contain, elements_that_are_refused, elements_changed_in_place }
            methods { methods_of_values, methods_that_change_their_receiver, generic_methods, operators_of_user_types }
            numeric {
                exact_f32, exact_f64, of_products, transcendental,
                methods_i8, methods_i16, methods_i32, methods_i64, methods_i128, methods_isize,
                methods_u8, methods_u16, methods_u32, methods_u64, methods_u128, methods_usize,
                signed_and_unsigned, conversions,
            }
            order { producer_and_consumer, ping_pong, fan_out, fan_in, diamond, pipeline, back_to_back }
            outcomes { methods_of_outcomes, what_has_no_value_says_what_std_says, checked_methods_of_all_bytes }
            phases {
                numbers_that_have_changed, indexes_of_the_block, rounds_that_some_threads_skip, sums_and_differences_that_wrap,
                names_that_mean_something_else, numbers_of_types_that_are_not_written, starts_of_ranges_before_barriers,
                ranges_beyond_32_bits,
            }
            phases_in_lanes {
                tiles_of_all_pairs, products_of_tiles, phases_that_are_left, rings_of_user_types, values_that_nobody_asks_for,
                scans_of_long_loops,
            }
            patterns {
                rows_and_planes, in_place, blocks_and_steps, triangles, digits, bits, residues, trees_and_scans,
                other_integers, histograms,
            }
            ported {
                bitonic_sort, box_filter, collatz, kmeans, lbm, life, mandelbrot, matmul_of_floats, matmul_of_ints, nbody,
                poisson, sha256, softmax, spheres, spmv,
            }
            prints {
                every_kind_of_argument, each_macro_has_its_stream_and_its_end, arguments_are_evaluated_once_and_in_order,
                groups_and_graphs_print, every_wait_prints, instances_format_their_own_types,
                lines_that_do_not_fit_are_counted, a_panic_of_the_users_text_is_an_error, messages_have_values,
                a_check_with_values_is_known,
            }
            random {
                published_blocks, words_of_streams, numbers_are_those_of_the_host, normal_numbers_have_the_bits_of_the_host,
                streams_in_buffers_go_on, the_area_of_a_circle, there_is_no_number_below_zero,
            }
            ranges {
                stepped, a_step_of_zero_is_an_error_before_anything_runs, inclusive_and_whole_types, planes_and_volumes,
                empty_ranges_run_nothing, beyond_one_grid, saturated_differences, ends_that_wrap, windows_of_large_numbers,
                rows_that_wrap,
            }
            reductions {
                sums_and_extremes_of_integers, sums_and_extremes_of_floats, counts_and_conditions, ranges_in_each_other,
                results_are_read_beside_others, where_the_extremes_are, steps_and_ends, ranges_the_index_and_then_the_closure, values_of_users, what_is_kept_moves_together, reductions_of_groups_and_graphs,
                reductions_say_what_is_wrong, what_surrounds_a_reduction_does_not_matter, names_of_indexes_end_with_the_closure,
                iterations_of_scans_are_apart, what_a_failed_thread_leaves_is_a_value, results_are_combined_with_what_is_there,
            }
            regressions {
                a_thread_that_has_never_called_the_driver, the_users_stream_hands_over_to_the_groups,
                a_result_is_read_behind_the_join, adjacent_blocks_stay_two,
                argument_memory_of_a_launch_is_its_own, the_second_wait_for_an_event_gates_too,
                streams_come_back_after_errors,
            }
            rows { every_shift_of_every_small_plane, an_index_that_stands_still }
            scratch { zeros_at_first, groups_and_swaps, grids_and_atomics, structs_and_generics, none_and_too_many }
            states { halves_in_turn, transforms, sums_by_doubling, eliminations }
            streams {
                streams_events_and_buffers, a_read_waits_for_the_write_before, a_write_waits_for_the_read_before,
                a_write_waits_for_the_write_before, halves_of_a_split, buffers_dropped_while_in_use, events_order_streams,
                two_readers_before_a_writer, parts_wait_for_their_own_part, prepared_kernels,
            }
            enums {
                enums_in_buffers, enums_with_fields, options_and_results, variants_by_other_names_and_in_rusts_order,
            }
            structs {
                fields_and_literals, patterns_of_structs, functions_of_structs, structs_of_all_kinds,
                fills_with_structs, operands_of_structs_in_their_order, fields_without_a_size,
                a_failed_check_inside_of_an_element_writes_nothing,
            }
            summaries {
                indexes_of_functions, parts_that_functions_get, indexes_that_a_function_gets_from_data, results_that_are_no_forms,
                functions_that_fail_before_their_access, methods_and_names,
            }
            traits {
                generic_over_a_trait, traits_of_foreign_types, constants_of_traits_in_indexes, indexes_that_traits_compute,
                lengths_that_a_trait_computes,
            }
            warps {
                folds_of_warps, votes_of_warps, values_of_other_threads, threads_with_equal_keys, sorts_by_votes, a_warp_for_each_row,
            }
        }
    };
    ($on:path: $($topic:ident { $($case:ident),* $(,)? })*) => { $(
        mod $topic { $(
            #[test]
            fn $case() {
                $on($crate::cases::$topic::$case);
            }
        )* }
    )* };
}

/// Equal on the CPU. On a GPU off by two units in the last place of `magnitude`, the sum of the
/// terms that were added: its compiler contracts `a * b + c` to one rounding where Rust rounds
/// twice.
#[track_caller]
fn close(device: &Device, got: &[f32], want: &[f32], magnitude: impl Fn(usize) -> f32) {
    assert_eq!(got.len(), want.len());
    for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
        let off = if device.is_cpu() { 0.0 } else { 2.0 * f32::EPSILON * magnitude(i) };
        assert!((got - want).abs() <= off, "element {i} is {got}, not {want}");
    }
}

/// Steps that keep a device busy for some milliseconds, so that what does not wait comes too early.
/// On the CPU a launch is complete when it returns.
fn slow(device: &Device) -> u32 {
    if device.is_cpu() { 10 } else { 500_000 }
}

/// Numbers that look random and are the same in every run.
fn noise(n: usize) -> impl Iterator<Item = u64> {
    (0..n).scan(0x2545_F491_4F6C_DD1D_u64, |state, _| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        Some(*state)
    })
}
