internal import IdentityKit
internal import IdentityPlatform
internal import IdentityStoreKit

/// Reads from the file through its own connection and on its own thread, so that reads do not wait behind queued saves.
///
/// Reads that arrive during a transaction share the next transaction and SQLite's locks for it.
actor DatabaseReader: BatchWorker {
    /// How many times a batch is tried before blocked reads go back into the queue; a commit usually blocks readers for some milliseconds.
    private static let quickTries = 40
    /// The pause between two tries, in microseconds.
    private static let quickPause: UInt32 = 150

    nonisolated let queue: WorkQueue
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe queue.executor.asUnownedSerialExecutor() }

    init(clock: any IdentityClock, wait: Duration) {
        queue = WorkQueue(clock: clock, wait: wait)
    }

    func use(_ connect: @Sendable () throws -> Connection) throws {
        connection = try connect()
    }

    func close() async {
        await queue.close()
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
            // This actor has its own thread, so a short sleep blocks no other work.
            usleep(Self.quickPause)
        }
        queue.postpone(rest)
        return true
    }

    /// Runs the reads of a batch until SQLite reports a lock, and returns the reads that could not run.
    private func read(_ batch: ArraySlice<PendingWork>, on connection: Connection) -> ArraySlice<PendingWork> {
        // A single read needs no explicit transaction.
        let isShared = batch.count > 1 && (try? connection.run(.beginRead)) != nil
        defer { if isShared { connection.rollback() } }
        for (index, work) in zip(batch.indices, batch) {
            do {
                try work.run(connection)()
            } catch let failure as SQLiteFailure where failure.isBusy {
                return batch[index...]
            } catch {
                work.fail(error)
            }
        }
        return []
    }

    func becameIdle() {}
}
