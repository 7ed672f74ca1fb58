#if PostgreSQL
internal import IdentityPlatform

extension ConnectionLoop {
    func dispatchDirect() {
        // An advisory lock on a server that is no longer the primary does not exclude other processes.
        if let connection = direct, connection.isBroken || connection.isReadOnly { drop(connection) }
        // A direct connection is opened only for queued statements, and for waits for a lock if the store listens for notifications.
        guard !directQueue.isEmpty || (settings.listens && !lockWaits.isEmpty) else { return }
        guard let plan = settings.directPlan else {
            directQueue.failAll(PostgresFailure(.client))
            return
        }
        if let direct {
            if direct.call == nil, let call = directQueue.take(readersOnly: false) { begin(call, on: direct) }
            return
        }
        if let permanentFailure = directState.permanentFailure, directState.pausedUntil != nil {
            directQueue.failAll(permanentFailure)
        }
        if let pause = directState.pausedUntil { deadlines.note(pause) }
        guard directState.mayConnect, directState.connecting == 0 else { return }
        directState.began()
        if !start(plan, isDirect: true) { directState.failed(PostgresFailure(.client)) }
    }

    /// Closes the direct connection; the server then releases its advisory locks.
    func drop(_ connection: ServerConnection) {
        connection.abandon()?.fail(PostgresFailure(.lost, mayHaveTakenEffect: true))
        direct = nil
        settings.directState.ended(connection.serial)
    }

    func connectedDirectly(_ result: Result<OpenedConnection, PostgresFailure>) {
        switch result {
        case .success(let opened) where opened.isReadOnly:
            opened.discard()
            directState.failed(PostgresFailure(.readOnly))
        case .success(let opened):
            directState.succeeded(isReadOnly: false)
            let connection = ServerConnection(opened, serial: nextSerial, usesPreparation: settings.preparesStatements)
            nextSerial += 1
            direct = connection
            settings.directState.began(connection.serial)
        case .failure(let failure): directState.failed(failure)
        }
    }

    /// Ends the waits for the locks that these notifications name.
    func wakeLockWaits(_ payloads: [String]) {
        let keys = Set(payloads.compactMap { Int64($0) })
        for wait in lockWaits.values where keys.contains(wait.key) {
            lockWaits[wait.id] = nil
            wait.continuation.resume()
        }
    }
}
#endif
