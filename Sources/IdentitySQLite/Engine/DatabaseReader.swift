internal import Glibc
internal import IdentityKit

/// The one who reads, through a connection of its own: who reads does not wait while a save waits for the disk.
///
/// Reads that come while it is at work share the next transaction, and pay once for SQLite's locks.
actor DatabaseReader: BatchWorker {
    /// A commit keeps readers out for some milliseconds.
    private static let quickTries = 40
    /// In microseconds.
    private static let quickPause: UInt32 = 150

    nonisolated let lane: WorkLane
    /// Nil until the file is open, and again when it is closed.
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe lane.executor.asUnownedSerialExecutor() }

    init(clock: any IdentityClock, wait: Duration) {
        lane = WorkLane(clock: clock, wait: wait)
    }

    /// Uses a connection that nobody else has.
    func use(_ connect: @Sendable () throws -> Connection) throws {
        connection = try connect()
    }

    /// Lets what waits be done, then closes the connection.
    func close() async {
        await lane.queue.close()
        connection = nil
    }

    func run(_ batch: [PendingWork]) -> Bool {
        guard let connection else {
            for work in batch { work.fail(IdentityError.storeClosed) }
            return false
        }
        var rest = batch[...]
        for _ in 0..<Self.quickTries {
            rest = read(rest, on: connection)
            if rest.isEmpty { return false }
            // On a thread of its own it keeps nobody else waiting, and is there when the lock falls.
            usleep(Self.quickPause)
        }
        lane.postpone(rest)
        return true
    }

    /// Reads until the file is locked.
    ///
    /// - Returns: What was not read.
    private func read(_ batch: ArraySlice<PendingWork>, on connection: Connection) -> ArraySlice<PendingWork> {
        // One statement is a transaction of its own.
        let isShared = batch.count > 1 && (try? connection.run(.beginRead)) != nil
        defer { if isShared { connection.rollback() } }
        for (index, work) in zip(batch.indices, batch) {
            do {
                try work.run(connection)()
            } catch let failure as SQLiteFailure where failure.isBusy {
                return batch[index...]
            } catch {
                work.fail(with: error)
            }
        }
        return []
    }

    func becameIdle() {}
}
