! Persistent messages and neighbours by `use mpi_f08` or, with -DOLD, by `use mpi`: two ranks.
program kept
#ifdef OLD
  use mpi
  integer :: requests(2), comm, types(2)
#else
  use mpi_f08
  type(MPI_Request) :: requests(2)
  type(MPI_Comm) :: comm
  type(MPI_Datatype) :: types(2)
#endif
  integer :: rank, peer, ierror, i, there(8), here(8), counts(2), places(2)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  peer = 1 - rank
  there = rank
  here = -1
  call MPI_Recv_init(here, 8, MPI_INTEGER, peer, 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Send_init(there, 8, MPI_INTEGER, peer, 1, MPI_COMM_WORLD, requests(2), ierror)
  do i = 1, 2
    call MPI_Startall(2, requests, ierror)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  end do
  call MPI_Start(requests(1), ierror)
  call MPI_Start(requests(2), ierror)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
  call MPI_Request_free(requests(1), ierror)
  call MPI_Request_free(requests(2), ierror)
  counts = [1, 2]
  places = [0, 16]
  types = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
  if (rank == 0) then
    call MPI_Alltoallw(there, [0, 2], places, types, here, [0, 1], places, types, MPI_COMM_WORLD, ierror)
  else
    call MPI_Alltoallw(there, [1, 0], places, [MPI_DOUBLE_PRECISION, MPI_INTEGER], here, [4, 0], &
                       places, types, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [.true.], .false., comm, ierror)
  call MPI_Neighbor_alltoall(there, 1, MPI_INTEGER, here, 1, MPI_INTEGER, comm, ierror)
  call MPI_Comm_free(comm, ierror)
  call MPI_Finalize(ierror)
end program
