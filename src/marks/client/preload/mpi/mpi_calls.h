/*
 * mpi_calls.h: the calls of MPI that are answered: those that communicate, wait, make or free what
 * takes all ranks, or touch files. Truth: the MPI standard, version 4.1; names and numbers of arguments
 * are the same in its interfaces of C, Fortran and Fortran 2008. What works on the process alone, as
 * MPI_Comm_rank, MPI_Type_commit or MPI_Pack, is not here.
 *
 *   CALL(Name, name, NAME, arguments in C, place of Fortran's ierror, Fortran's arguments with the
 *        lengths of texts, LARGE, bits of large arguments, version, kind, bytes)
 *
 * LARGE: there is MPI_Name_c as well, which takes larger numbers; LISTS: it takes or gives them by
 * addresses; PLAIN: there is none. Version of the standard that first has it: 4, or 3 for 3.1 and below.
 * Kind: NETWORK; IO, of files; WAIT moves no data of its own, and waits for others or tests their progress.
 * Bytes, by the letters of the arguments: SENT(count, type, rank, communicator), MOVED(count, type,
 * rank, window), ELEMENT(type, rank, window), GAVE(count, type), of this process alone; GATHERED and
 * SCATTERED(count, type, root, communicator), by what the standard reads at the root and elsewhere;
 * OWN(list, type, communicator), this rank's of a list; LIST, all of it; EACH(count, type,
 * communicator), to every rank; TYPES: as LIST, with a type for each; NEAR_EACH, NEAR_LIST, NEAR_TYPES
 * (count, type, communicator), to the neighbours of a topology; KEPT(one of these with its letters,
 * request): as often as the request is started; PARTS: of a message in parts; STARTED and READY: what
 * a request keeps; FREED: none, and a handle is free; NOTHING: none, or not known.
 *
 * Copyright (c) joulemark authors. SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef JOULEMARK_PRELOAD_MPI_CALLS_H
#define JOULEMARK_PRELOAD_MPI_CALLS_H

/* Those that GEOPM answers: --preload mpi. */
#define JM_MPI_CALLS(CALL) \
    CALL(Allgather, allgather, ALLGATHER, 7, 8, 8, LARGE, 0x12, 3, NETWORK, GAVE(e, f)) \
    CALL(Allgatherv, allgatherv, ALLGATHERV, 8, 9, 9, LISTS, 0x32, 3, NETWORK, OWN(e, g, h)) \
    CALL(Allreduce, allreduce, ALLREDUCE, 6, 7, 7, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Alltoall, alltoall, ALLTOALL, 7, 8, 8, LARGE, 0x12, 3, NETWORK, EACH(e, f, g)) \
    CALL(Alltoallv, alltoallv, ALLTOALLV, 9, 10, 10, LISTS, 0x66, 3, NETWORK, LIST(f, h, i)) \
    CALL(Alltoallw, alltoallw, ALLTOALLW, 9, 10, 10, LISTS, 0x66, 3, NETWORK, TYPES(f, h, i)) \
    CALL(Barrier, barrier, BARRIER, 1, 2, 2, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Bcast, bcast, BCAST, 5, 6, 6, LARGE, 0x2, 3, NETWORK, GAVE(b, c)) \
    CALL(Bsend, bsend, BSEND, 6, 7, 7, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, f)) \
    CALL(Bsend_init, bsend_init, BSEND_INIT, 7, 8, 8, LARGE, 0x2, 3, NETWORK, KEPT(SENT, b, c, d, f, g)) \
    CALL(Exscan, exscan, EXSCAN, 6, 7, 7, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Gather, gather, GATHER, 8, 9, 9, LARGE, 0x12, 3, NETWORK, GATHERED(b, c, g, h)) \
    CALL(Gatherv, gatherv, GATHERV, 9, 10, 10, LISTS, 0x32, 3, NETWORK, GATHERED_LISTS(b, c, h, i)) \
    CALL(Neighbor_allgather, neighbor_allgather, NEIGHBOR_ALLGATHER, 7, 8, 8, LARGE, 0x12, 3, NETWORK, GAVE(b, c)) \
    CALL(Neighbor_allgatherv, neighbor_allgatherv, NEIGHBOR_ALLGATHERV, 8, 9, 9, LISTS, 0x32, 3, NETWORK, GAVE(b, c)) \
    CALL(Neighbor_alltoall, neighbor_alltoall, NEIGHBOR_ALLTOALL, 7, 8, 8, LARGE, 0x12, 3, NETWORK, NEAR_EACH(b, c, g)) \
    CALL(Neighbor_alltoallv, neighbor_alltoallv, NEIGHBOR_ALLTOALLV, 9, 10, 10, LISTS, 0x66, 3, NETWORK, NEAR_LIST(b, d, i)) \
    CALL(Neighbor_alltoallw, neighbor_alltoallw, NEIGHBOR_ALLTOALLW, 9, 10, 10, LISTS, 0x22, 3, NETWORK, NEAR_TYPES(b, d, i)) \
    CALL(Recv, recv, RECV, 7, 8, 8, LARGE, 0x2, 3, NETWORK, NOTHING) \
    CALL(Reduce, reduce, REDUCE, 7, 8, 8, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Reduce_scatter, reduce_scatter, REDUCE_SCATTER, 6, 7, 7, LISTS, 0x4, 3, NETWORK, OWN(c, d, f)) \
    CALL(Reduce_scatter_block, reduce_scatter_block, REDUCE_SCATTER_BLOCK, 6, 7, 7, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Rsend, rsend, RSEND, 6, 7, 7, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, f)) \
    CALL(Rsend_init, rsend_init, RSEND_INIT, 7, 8, 8, LARGE, 0x2, 3, NETWORK, KEPT(SENT, b, c, d, f, g)) \
    CALL(Scan, scan, SCAN, 6, 7, 7, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Scatter, scatter, SCATTER, 8, 9, 9, LARGE, 0x12, 3, NETWORK, SCATTERED(e, f, g, h)) \
    CALL(Scatterv, scatterv, SCATTERV, 9, 10, 10, LISTS, 0x26, 3, NETWORK, SCATTERED_LISTS(f, g, h, i)) \
    CALL(Send, send, SEND, 6, 7, 7, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, f)) \
    CALL(Sendrecv, sendrecv, SENDRECV, 12, 13, 13, LARGE, 0x42, 3, NETWORK, SENT(b, c, d, k)) \
    CALL(Sendrecv_replace, sendrecv_replace, SENDRECV_REPLACE, 9, 10, 10, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, h)) \
    CALL(Ssend, ssend, SSEND, 6, 7, 7, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, f)) \
    CALL(Wait, wait, WAIT, 2, 3, 3, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Waitall, waitall, WAITALL, 3, 4, 4, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Waitany, waitany, WAITANY, 4, 5, 5, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Waitsome, waitsome, WAITSOME, 5, 6, 6, PLAIN, 0x0, 3, WAIT, NOTHING)

/* The others, with --preload mpi=all. */
#define JM_MPI_MORE_CALLS(CALL) \
    CALL(Accumulate, accumulate, ACCUMULATE, 9, 10, 10, LARGE, 0x22, 3, NETWORK, MOVED(b, c, d, i)) \
    CALL(Allgather_init, allgather_init, ALLGATHER_INIT, 9, 10, 10, LARGE, 0x12, 4, NETWORK, KEPT(GAVE, e, f, a, a, i)) \
    CALL(Allgatherv_init, allgatherv_init, ALLGATHERV_INIT, 10, 11, 11, LISTS, 0x32, 4, NETWORK, KEPT(OWN, e, g, a, h, j)) \
    CALL(Allreduce_init, allreduce_init, ALLREDUCE_INIT, 8, 9, 9, LARGE, 0x4, 4, NETWORK, KEPT(GAVE, c, d, a, a, h)) \
    CALL(Alltoall_init, alltoall_init, ALLTOALL_INIT, 9, 10, 10, LARGE, 0x12, 4, NETWORK, KEPT(EACH, e, f, a, g, i)) \
    CALL(Alltoallv_init, alltoallv_init, ALLTOALLV_INIT, 11, 12, 12, LISTS, 0x66, 4, NETWORK, KEPT(LIST, f, h, a, i, k)) \
    CALL(Alltoallw_init, alltoallw_init, ALLTOALLW_INIT, 11, 12, 12, LISTS, 0x66, 4, NETWORK, KEPT(TYPES, f, h, a, i, k)) \
    CALL(Barrier_init, barrier_init, BARRIER_INIT, 3, 4, 4, PLAIN, 0x0, 4, NETWORK, KEPT(NONE, a, a, a, a, c)) \
    CALL(Bcast_init, bcast_init, BCAST_INIT, 7, 8, 8, LARGE, 0x2, 4, NETWORK, KEPT(GAVE, b, c, a, a, g)) \
    CALL(Buffer_attach, buffer_attach, BUFFER_ATTACH, 2, 3, 3, LARGE, 0x2, 3, NETWORK, NOTHING) \
    CALL(Buffer_detach, buffer_detach, BUFFER_DETACH, 2, 3, 3, LISTS, 0x2, 3, WAIT, NOTHING) \
    CALL(Buffer_flush, buffer_flush, BUFFER_FLUSH, 0, 1, 1, PLAIN, 0x0, 4, WAIT, NOTHING) \
    CALL(Buffer_iflush, buffer_iflush, BUFFER_IFLUSH, 1, 2, 2, PLAIN, 0x0, 4, NETWORK, NOTHING) \
    CALL(Cancel, cancel, CANCEL, 1, 2, 2, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Cart_create, cart_create, CART_CREATE, 6, 7, 7, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Cart_sub, cart_sub, CART_SUB, 3, 4, 4, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Close_port, close_port, CLOSE_PORT, 1, 2, 3, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_accept, comm_accept, COMM_ACCEPT, 5, 6, 7, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Comm_attach_buffer, comm_attach_buffer, COMM_ATTACH_BUFFER, 3, 4, 4, LARGE, 0x4, 4, NETWORK, NOTHING) \
    CALL(Comm_connect, comm_connect, COMM_CONNECT, 5, 6, 7, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Comm_create, comm_create, COMM_CREATE, 3, 4, 4, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_create_from_group, comm_create_from_group, COMM_CREATE_FROM_GROUP, 5, 6, 7, PLAIN, 0x0, 4, NETWORK, NOTHING) \
    CALL(Comm_create_group, comm_create_group, COMM_CREATE_GROUP, 4, 5, 5, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_detach_buffer, comm_detach_buffer, COMM_DETACH_BUFFER, 3, 4, 4, LISTS, 0x4, 4, WAIT, NOTHING) \
    CALL(Comm_disconnect, comm_disconnect, COMM_DISCONNECT, 1, 2, 2, PLAIN, 0x0, 3, WAIT, FREED) \
    CALL(Comm_dup, comm_dup, COMM_DUP, 2, 3, 3, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_dup_with_info, comm_dup_with_info, COMM_DUP_WITH_INFO, 3, 4, 4, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_flush_buffer, comm_flush_buffer, COMM_FLUSH_BUFFER, 1, 2, 2, PLAIN, 0x0, 4, WAIT, NOTHING) \
    CALL(Comm_free, comm_free, COMM_FREE, 1, 2, 2, PLAIN, 0x0, 3, NETWORK, FREED) \
    CALL(Comm_idup, comm_idup, COMM_IDUP, 3, 4, 4, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_idup_with_info, comm_idup_with_info, COMM_IDUP_WITH_INFO, 4, 5, 5, PLAIN, 0x0, 4, NETWORK, NOTHING) \
    CALL(Comm_iflush_buffer, comm_iflush_buffer, COMM_IFLUSH_BUFFER, 2, 3, 3, PLAIN, 0x0, 4, NETWORK, NOTHING) \
    CALL(Comm_join, comm_join, COMM_JOIN, 2, 3, 3, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_spawn, comm_spawn, COMM_SPAWN, 8, 9, 11, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_spawn_multiple, comm_spawn_multiple, COMM_SPAWN_MULTIPLE, 9, 10, 12, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_split, comm_split, COMM_SPLIT, 4, 5, 5, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Comm_split_type, comm_split_type, COMM_SPLIT_TYPE, 5, 6, 6, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Compare_and_swap, compare_and_swap, COMPARE_AND_SWAP, 7, 8, 8, PLAIN, 0x0, 3, NETWORK, ELEMENT(d, e, g)) \
    CALL(Dist_graph_create, dist_graph_create, DIST_GRAPH_CREATE, 9, 10, 10, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Dist_graph_create_adjacent, dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT, 10, 11, 11, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Exscan_init, exscan_init, EXSCAN_INIT, 8, 9, 9, LARGE, 0x4, 4, NETWORK, KEPT(GAVE, c, d, a, a, h)) \
    CALL(Fetch_and_op, fetch_and_op, FETCH_AND_OP, 7, 8, 8, PLAIN, 0x0, 3, NETWORK, ELEMENT(c, d, g)) \
    CALL(File_close, file_close, FILE_CLOSE, 1, 2, 2, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_delete, file_delete, FILE_DELETE, 2, 3, 4, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_get_size, file_get_size, FILE_GET_SIZE, 2, 3, 3, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_iread, file_iread, FILE_IREAD, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_iread_all, file_iread_all, FILE_IREAD_ALL, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_iread_at, file_iread_at, FILE_IREAD_AT, 6, 7, 7, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_iread_at_all, file_iread_at_all, FILE_IREAD_AT_ALL, 6, 7, 7, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_iread_shared, file_iread_shared, FILE_IREAD_SHARED, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_iwrite, file_iwrite, FILE_IWRITE, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_iwrite_all, file_iwrite_all, FILE_IWRITE_ALL, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_iwrite_at, file_iwrite_at, FILE_IWRITE_AT, 6, 7, 7, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_iwrite_at_all, file_iwrite_at_all, FILE_IWRITE_AT_ALL, 6, 7, 7, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_iwrite_shared, file_iwrite_shared, FILE_IWRITE_SHARED, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_open, file_open, FILE_OPEN, 5, 6, 7, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_preallocate, file_preallocate, FILE_PREALLOCATE, 2, 3, 3, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_read, file_read, FILE_READ, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_read_all, file_read_all, FILE_READ_ALL, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_read_all_begin, file_read_all_begin, FILE_READ_ALL_BEGIN, 4, 5, 5, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_read_all_end, file_read_all_end, FILE_READ_ALL_END, 3, 4, 4, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_read_at, file_read_at, FILE_READ_AT, 6, 7, 7, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_read_at_all, file_read_at_all, FILE_READ_AT_ALL, 6, 7, 7, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_read_at_all_begin, file_read_at_all_begin, FILE_READ_AT_ALL_BEGIN, 5, 6, 6, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_read_at_all_end, file_read_at_all_end, FILE_READ_AT_ALL_END, 3, 4, 4, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_read_ordered, file_read_ordered, FILE_READ_ORDERED, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_read_ordered_begin, file_read_ordered_begin, FILE_READ_ORDERED_BEGIN, 4, 5, 5, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_read_ordered_end, file_read_ordered_end, FILE_READ_ORDERED_END, 3, 4, 4, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_read_shared, file_read_shared, FILE_READ_SHARED, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_seek_shared, file_seek_shared, FILE_SEEK_SHARED, 3, 4, 4, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_set_atomicity, file_set_atomicity, FILE_SET_ATOMICITY, 2, 3, 3, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_set_size, file_set_size, FILE_SET_SIZE, 2, 3, 3, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_set_view, file_set_view, FILE_SET_VIEW, 6, 7, 8, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_sync, file_sync, FILE_SYNC, 1, 2, 2, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_write, file_write, FILE_WRITE, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_write_all, file_write_all, FILE_WRITE_ALL, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_write_all_begin, file_write_all_begin, FILE_WRITE_ALL_BEGIN, 4, 5, 5, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_write_all_end, file_write_all_end, FILE_WRITE_ALL_END, 3, 4, 4, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_write_at, file_write_at, FILE_WRITE_AT, 6, 7, 7, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_write_at_all, file_write_at_all, FILE_WRITE_AT_ALL, 6, 7, 7, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_write_at_all_begin, file_write_at_all_begin, FILE_WRITE_AT_ALL_BEGIN, 5, 6, 6, LARGE, 0x8, 3, IO, GAVE(d, e)) \
    CALL(File_write_at_all_end, file_write_at_all_end, FILE_WRITE_AT_ALL_END, 3, 4, 4, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_write_ordered, file_write_ordered, FILE_WRITE_ORDERED, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_write_ordered_begin, file_write_ordered_begin, FILE_WRITE_ORDERED_BEGIN, 4, 5, 5, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(File_write_ordered_end, file_write_ordered_end, FILE_WRITE_ORDERED_END, 3, 4, 4, PLAIN, 0x0, 3, IO, NOTHING) \
    CALL(File_write_shared, file_write_shared, FILE_WRITE_SHARED, 5, 6, 6, LARGE, 0x4, 3, IO, GAVE(c, d)) \
    CALL(Gather_init, gather_init, GATHER_INIT, 10, 11, 11, LARGE, 0x12, 4, NETWORK, KEPT(GATHERED, b, c, g, h, j)) \
    CALL(Gatherv_init, gatherv_init, GATHERV_INIT, 11, 12, 12, LISTS, 0x32, 4, NETWORK, KEPT(GATHERED_LISTS, b, c, h, i, k)) \
    CALL(Get, get, GET, 8, 9, 9, LARGE, 0x22, 3, NETWORK, MOVED(b, c, d, h)) \
    CALL(Get_accumulate, get_accumulate, GET_ACCUMULATE, 12, 13, 13, LARGE, 0x112, 3, NETWORK, MOVED(e, f, g, l)) \
    CALL(Graph_create, graph_create, GRAPH_CREATE, 6, 7, 7, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Iallgather, iallgather, IALLGATHER, 8, 9, 9, LARGE, 0x12, 3, NETWORK, GAVE(e, f)) \
    CALL(Iallgatherv, iallgatherv, IALLGATHERV, 9, 10, 10, LISTS, 0x32, 3, NETWORK, OWN(e, g, h)) \
    CALL(Iallreduce, iallreduce, IALLREDUCE, 7, 8, 8, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Ialltoall, ialltoall, IALLTOALL, 8, 9, 9, LARGE, 0x12, 3, NETWORK, EACH(e, f, g)) \
    CALL(Ialltoallv, ialltoallv, IALLTOALLV, 10, 11, 11, LISTS, 0x66, 3, NETWORK, LIST(f, h, i)) \
    CALL(Ialltoallw, ialltoallw, IALLTOALLW, 10, 11, 11, LISTS, 0x66, 3, NETWORK, TYPES(f, h, i)) \
    CALL(Ibarrier, ibarrier, IBARRIER, 2, 3, 3, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Ibcast, ibcast, IBCAST, 6, 7, 7, LARGE, 0x2, 3, NETWORK, GAVE(b, c)) \
    CALL(Ibsend, ibsend, IBSEND, 7, 8, 8, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, f)) \
    CALL(Iexscan, iexscan, IEXSCAN, 7, 8, 8, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Igather, igather, IGATHER, 9, 10, 10, LARGE, 0x12, 3, NETWORK, GATHERED(b, c, g, h)) \
    CALL(Igatherv, igatherv, IGATHERV, 10, 11, 11, LISTS, 0x32, 3, NETWORK, GATHERED_LISTS(b, c, h, i)) \
    CALL(Improbe, improbe, IMPROBE, 6, 7, 7, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Imrecv, imrecv, IMRECV, 5, 6, 6, LARGE, 0x2, 3, NETWORK, NOTHING) \
    CALL(Ineighbor_allgather, ineighbor_allgather, INEIGHBOR_ALLGATHER, 8, 9, 9, LARGE, 0x12, 3, NETWORK, GAVE(b, c)) \
    CALL(Ineighbor_allgatherv, ineighbor_allgatherv, INEIGHBOR_ALLGATHERV, 9, 10, 10, LISTS, 0x32, 3, NETWORK, GAVE(b, c)) \
    CALL(Ineighbor_alltoall, ineighbor_alltoall, INEIGHBOR_ALLTOALL, 8, 9, 9, LARGE, 0x12, 3, NETWORK, NEAR_EACH(b, c, g)) \
    CALL(Ineighbor_alltoallv, ineighbor_alltoallv, INEIGHBOR_ALLTOALLV, 10, 11, 11, LISTS, 0x66, 3, NETWORK, NEAR_LIST(b, d, i)) \
    CALL(Ineighbor_alltoallw, ineighbor_alltoallw, INEIGHBOR_ALLTOALLW, 10, 11, 11, LISTS, 0x22, 3, NETWORK, NEAR_TYPES(b, d, i)) \
    CALL(Intercomm_create, intercomm_create, INTERCOMM_CREATE, 6, 7, 7, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Intercomm_create_from_groups, intercomm_create_from_groups, INTERCOMM_CREATE_FROM_GROUPS, 8, 9, 10, PLAIN, 0x0, 4, NETWORK, NOTHING) \
    CALL(Intercomm_merge, intercomm_merge, INTERCOMM_MERGE, 3, 4, 4, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Iprobe, iprobe, IPROBE, 5, 6, 6, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Irecv, irecv, IRECV, 7, 8, 8, LARGE, 0x2, 3, NETWORK, NOTHING) \
    CALL(Ireduce, ireduce, IREDUCE, 8, 9, 9, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Ireduce_scatter, ireduce_scatter, IREDUCE_SCATTER, 7, 8, 8, LISTS, 0x4, 3, NETWORK, OWN(c, d, f)) \
    CALL(Ireduce_scatter_block, ireduce_scatter_block, IREDUCE_SCATTER_BLOCK, 7, 8, 8, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Irsend, irsend, IRSEND, 7, 8, 8, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, f)) \
    CALL(Iscan, iscan, ISCAN, 7, 8, 8, LARGE, 0x4, 3, NETWORK, GAVE(c, d)) \
    CALL(Iscatter, iscatter, ISCATTER, 9, 10, 10, LARGE, 0x12, 3, NETWORK, SCATTERED(e, f, g, h)) \
    CALL(Iscatterv, iscatterv, ISCATTERV, 10, 11, 11, LISTS, 0x26, 3, NETWORK, SCATTERED_LISTS(f, g, h, i)) \
    CALL(Isend, isend, ISEND, 7, 8, 8, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, f)) \
    CALL(Isendrecv, isendrecv, ISENDRECV, 12, 13, 13, LARGE, 0x42, 4, NETWORK, SENT(b, c, d, k)) \
    CALL(Isendrecv_replace, isendrecv_replace, ISENDRECV_REPLACE, 9, 10, 10, LARGE, 0x2, 4, NETWORK, SENT(b, c, d, h)) \
    CALL(Issend, issend, ISSEND, 7, 8, 8, LARGE, 0x2, 3, NETWORK, SENT(b, c, d, f)) \
    CALL(Lookup_name, lookup_name, LOOKUP_NAME, 3, 4, 6, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Mprobe, mprobe, MPROBE, 5, 6, 6, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Mrecv, mrecv, MRECV, 5, 6, 6, LARGE, 0x2, 3, NETWORK, NOTHING) \
    CALL(Neighbor_allgather_init, neighbor_allgather_init, NEIGHBOR_ALLGATHER_INIT, 9, 10, 10, LARGE, 0x12, 4, NETWORK, KEPT(GAVE, b, c, a, a, i)) \
    CALL(Neighbor_allgatherv_init, neighbor_allgatherv_init, NEIGHBOR_ALLGATHERV_INIT, 10, 11, 11, LISTS, 0x32, 4, NETWORK, KEPT(GAVE, b, c, a, a, j)) \
    CALL(Neighbor_alltoall_init, neighbor_alltoall_init, NEIGHBOR_ALLTOALL_INIT, 9, 10, 10, LARGE, 0x12, 4, NETWORK, KEPT(NEAR_EACH, b, c, a, g, i)) \
    CALL(Neighbor_alltoallv_init, neighbor_alltoallv_init, NEIGHBOR_ALLTOALLV_INIT, 11, 12, 12, LISTS, 0x66, 4, NETWORK, KEPT(NEAR_LIST, b, d, a, i, k)) \
    CALL(Neighbor_alltoallw_init, neighbor_alltoallw_init, NEIGHBOR_ALLTOALLW_INIT, 11, 12, 12, LISTS, 0x22, 4, NETWORK, KEPT(NEAR_TYPES, b, d, a, i, k)) \
    CALL(Open_port, open_port, OPEN_PORT, 2, 3, 4, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Parrived, parrived, PARRIVED, 3, 4, 4, PLAIN, 0x0, 4, WAIT, NOTHING) \
    CALL(Pready, pready, PREADY, 2, 3, 3, PLAIN, 0x0, 4, NETWORK, READY) \
    CALL(Pready_list, pready_list, PREADY_LIST, 3, 4, 4, PLAIN, 0x0, 4, NETWORK, READY) \
    CALL(Pready_range, pready_range, PREADY_RANGE, 3, 4, 4, PLAIN, 0x0, 4, NETWORK, READY) \
    CALL(Precv_init, precv_init, PRECV_INIT, 9, 10, 10, PLAIN, 0x0, 4, NETWORK, KEPT(NONE, a, a, a, a, i)) \
    CALL(Probe, probe, PROBE, 4, 5, 5, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Psend_init, psend_init, PSEND_INIT, 9, 10, 10, PLAIN, 0x0, 4, NETWORK, KEPT(PARTS, c, d, e, g, i)) \
    CALL(Publish_name, publish_name, PUBLISH_NAME, 3, 4, 6, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Put, put, PUT, 8, 9, 9, LARGE, 0x22, 3, NETWORK, MOVED(b, c, d, h)) \
    CALL(Raccumulate, raccumulate, RACCUMULATE, 10, 11, 11, LARGE, 0x22, 3, NETWORK, MOVED(b, c, d, i)) \
    CALL(Recv_init, recv_init, RECV_INIT, 7, 8, 8, LARGE, 0x2, 3, NETWORK, KEPT(NONE, a, a, a, a, g)) \
    CALL(Reduce_init, reduce_init, REDUCE_INIT, 9, 10, 10, LARGE, 0x4, 4, NETWORK, KEPT(GAVE, c, d, a, a, i)) \
    CALL(Reduce_scatter_block_init, reduce_scatter_block_init, REDUCE_SCATTER_BLOCK_INIT, 8, 9, 9, LARGE, 0x4, 4, NETWORK, KEPT(GAVE, c, d, a, a, h)) \
    CALL(Reduce_scatter_init, reduce_scatter_init, REDUCE_SCATTER_INIT, 8, 9, 9, LISTS, 0x4, 4, NETWORK, KEPT(OWN, c, d, a, f, h)) \
    CALL(Request_free, request_free, REQUEST_FREE, 1, 2, 2, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Request_get_status, request_get_status, REQUEST_GET_STATUS, 3, 4, 4, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Request_get_status_all, request_get_status_all, REQUEST_GET_STATUS_ALL, 4, 5, 5, PLAIN, 0x0, 4, WAIT, NOTHING) \
    CALL(Request_get_status_any, request_get_status_any, REQUEST_GET_STATUS_ANY, 5, 6, 6, PLAIN, 0x0, 4, WAIT, NOTHING) \
    CALL(Request_get_status_some, request_get_status_some, REQUEST_GET_STATUS_SOME, 5, 6, 6, PLAIN, 0x0, 4, WAIT, NOTHING) \
    CALL(Rget, rget, RGET, 9, 10, 10, LARGE, 0x22, 3, NETWORK, MOVED(b, c, d, h)) \
    CALL(Rget_accumulate, rget_accumulate, RGET_ACCUMULATE, 13, 14, 14, LARGE, 0x112, 3, NETWORK, MOVED(e, f, g, l)) \
    CALL(Rput, rput, RPUT, 9, 10, 10, LARGE, 0x22, 3, NETWORK, MOVED(b, c, d, h)) \
    CALL(Scan_init, scan_init, SCAN_INIT, 8, 9, 9, LARGE, 0x4, 4, NETWORK, KEPT(GAVE, c, d, a, a, h)) \
    CALL(Scatter_init, scatter_init, SCATTER_INIT, 10, 11, 11, LARGE, 0x12, 4, NETWORK, KEPT(SCATTERED, e, f, g, h, j)) \
    CALL(Scatterv_init, scatterv_init, SCATTERV_INIT, 11, 12, 12, LISTS, 0x26, 4, NETWORK, KEPT(SCATTERED_LISTS, f, g, h, i, k)) \
    CALL(Send_init, send_init, SEND_INIT, 7, 8, 8, LARGE, 0x2, 3, NETWORK, KEPT(SENT, b, c, d, f, g)) \
    CALL(Session_attach_buffer, session_attach_buffer, SESSION_ATTACH_BUFFER, 3, 4, 4, LARGE, 0x4, 4, NETWORK, NOTHING) \
    CALL(Session_detach_buffer, session_detach_buffer, SESSION_DETACH_BUFFER, 3, 4, 4, LISTS, 0x4, 4, WAIT, NOTHING) \
    CALL(Session_finalize, session_finalize, SESSION_FINALIZE, 1, 2, 2, PLAIN, 0x0, 4, NETWORK, NOTHING) \
    CALL(Session_flush_buffer, session_flush_buffer, SESSION_FLUSH_BUFFER, 1, 2, 2, PLAIN, 0x0, 4, WAIT, NOTHING) \
    CALL(Session_iflush_buffer, session_iflush_buffer, SESSION_IFLUSH_BUFFER, 2, 3, 3, PLAIN, 0x0, 4, NETWORK, NOTHING) \
    CALL(Session_init, session_init, SESSION_INIT, 3, 4, 4, PLAIN, 0x0, 4, NETWORK, NOTHING) \
    CALL(Ssend_init, ssend_init, SSEND_INIT, 7, 8, 8, LARGE, 0x2, 3, NETWORK, KEPT(SENT, b, c, d, f, g)) \
    CALL(Start, start, START, 1, 2, 2, PLAIN, 0x0, 3, NETWORK, STARTED) \
    CALL(Startall, startall, STARTALL, 2, 3, 3, PLAIN, 0x0, 3, NETWORK, STARTED) \
    CALL(Test, test, TEST, 3, 4, 4, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Testall, testall, TESTALL, 4, 5, 5, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Testany, testany, TESTANY, 5, 6, 6, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Testsome, testsome, TESTSOME, 5, 6, 6, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Unpublish_name, unpublish_name, UNPUBLISH_NAME, 3, 4, 6, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Win_allocate, win_allocate, WIN_ALLOCATE, 6, 7, 7, LARGE, 0x2, 3, NETWORK, NOTHING) \
    CALL(Win_allocate_shared, win_allocate_shared, WIN_ALLOCATE_SHARED, 6, 7, 7, LARGE, 0x2, 3, NETWORK, NOTHING) \
    CALL(Win_complete, win_complete, WIN_COMPLETE, 1, 2, 2, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_create, win_create, WIN_CREATE, 6, 7, 7, LARGE, 0x4, 3, NETWORK, NOTHING) \
    CALL(Win_create_dynamic, win_create_dynamic, WIN_CREATE_DYNAMIC, 3, 4, 4, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Win_fence, win_fence, WIN_FENCE, 2, 3, 3, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_flush, win_flush, WIN_FLUSH, 2, 3, 3, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_flush_all, win_flush_all, WIN_FLUSH_ALL, 1, 2, 2, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_flush_local, win_flush_local, WIN_FLUSH_LOCAL, 2, 3, 3, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_flush_local_all, win_flush_local_all, WIN_FLUSH_LOCAL_ALL, 1, 2, 2, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_free, win_free, WIN_FREE, 1, 2, 2, PLAIN, 0x0, 3, NETWORK, FREED) \
    CALL(Win_lock, win_lock, WIN_LOCK, 4, 5, 5, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_lock_all, win_lock_all, WIN_LOCK_ALL, 2, 3, 3, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_post, win_post, WIN_POST, 3, 4, 4, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Win_start, win_start, WIN_START, 3, 4, 4, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_sync, win_sync, WIN_SYNC, 1, 2, 2, PLAIN, 0x0, 3, NETWORK, NOTHING) \
    CALL(Win_test, win_test, WIN_TEST, 2, 3, 3, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_unlock, win_unlock, WIN_UNLOCK, 2, 3, 3, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_unlock_all, win_unlock_all, WIN_UNLOCK_ALL, 1, 2, 2, PLAIN, 0x0, 3, WAIT, NOTHING) \
    CALL(Win_wait, win_wait, WIN_WAIT, 1, 2, 2, PLAIN, 0x0, 3, WAIT, NOTHING)

#endif /* JOULEMARK_PRELOAD_MPI_CALLS_H */
