internal import Foundation
internal import IdentityHTTP
internal import IdentityKit
internal import IdentityPlatform
internal import Synchronization

/// The worker processes: many callers until a signal, one call, or one call that ends at a failpoint.
struct Worker: Sendable {
    /// The line that a process of a kill loop prints when it begins to request tokens.
    static let beginning = "at work"

    let order: WorkOrder

    /// Requests tokens of random sessions until it is killed or its standard input is closed.
    func work() async throws {
        try fail(if: .failsAtStart)
        let store = try await Retry.afterTemporaryErrors { try await order.store() }
        let manager = try order.manager(reporting(store), try CurlTransport())
        let ending = Ending()
        _ = DedicatedThread.start {
            _ = readLine()
            ending.isNear.store(true, ordering: .relaxed)
        }
        Report.line(Self.beginning)
        let upkeep = Task { await manager.maintain() }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { await ask(manager, until: ending) }
            }
        }
        upkeep.cancel()
        await manager.drain()
        Report.line("over")
        try fail(if: .failsAtEnd)
    }

    private func fail(if mutant: Mutant) throws {
        guard order.mutant == mutant else { return }
        throw IdentityError(
            .configuration,
            .configurationInvalid,
            "This process failed because of the mutant \(mutant.rawValue)."
        )
    }

    /// Faults are injected below the reporting store, except for the fault that skips the store.
    private func reporting(_ store: some SessionStore) -> any SessionStore {
        guard let mutant = order.mutant else { return ReportingStore(inner: store) }
        guard mutant == .writesNoJournal else {
            return ReportingStore(inner: MutantStore(inner: store, mutant: mutant))
        }
        return MutantStore(inner: ReportingStore(inner: store), mutant: mutant)
    }

    private func ask(_ manager: SessionManager, until ending: Ending) async {
        var sessions: [SessionID] = []
        var round = 0
        while !ending.isNear.load(ordering: .relaxed) {
            if round % 50 == 0 {
                sessions = ((try? await manager.sessions()) ?? []).filter { !$0.needsLogin }.map(\.id)
            }
            round += 1
            guard order.mutant != .requestsNoTokens, let id = sessions.randomElement() else {
                try? await Task.sleep(for: .milliseconds(20))
                continue
            }
            do {
                let got = try await manager.tokens(for: id)
                if got.outcome != .stored { Report.line("got \(id.rawValue) \(got.outcome.rawValue)") }
            } catch {
                let error = IdentityError.wrapping(error)
                Report.line("error \(id.rawValue) \(error.kind.rawValue) \(error.code.rawValue)")
                if error.kind == .signInAgain { sessions.removeAll { $0 == id } }
            }
            try? await Task.sleep(for: .milliseconds(Int.random(in: 1...15)))
        }
    }

    /// Requests one session's tokens with many concurrent callers when it reads a line.
    func storm(_ id: SessionID, callers: Int) async throws {
        try fail(if: .failsAtStart)
        let store = try await Retry.afterTemporaryErrors { try await order.store() }
        let manager = try order.manager(store, try CurlTransport())
        Report.line("ready")
        await withCheckedContinuation { continuation in
            _ = DedicatedThread.start {
                _ = readLine()
                continuation.resume()
            }
        }
        let seen = await withTaskGroup(of: String.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    do { return try await manager.tokens(for: id).tokens.accessToken.reveal() } catch {
                        return "error \(IdentityError.code(of: error).rawValue)"
                    }
                }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        for token in seen.sorted() { Report.line("token \(token)") }
        try fail(if: .failsAtEnd)
    }

    /// Repairs sessions, requests one session's tokens and reports the outcome; ends at the failpoint, if one is given.
    func once(_ id: SessionID, dyingAt point: Failpoint?) async throws {
        var store = try await order.store()
        var transport: any HTTPTransport = try CurlTransport()
        if let point {
            store = failing(store, point)
            transport = FailingTransport(inner: transport, point: point)
        }
        let manager = try order.manager(store, transport)
        let isInDoubt = (try? await manager.session(id).isInDoubt) ?? false
        Report.line("doubt \(isInDoubt)")
        let report = try await manager.repair()
        Report.line("repaired \(report.repaired)")
        do {
            Report.line("outcome \(try await manager.tokens(for: id).outcome.rawValue)")
        } catch {
            Report.line("outcome \(IdentityError.code(of: error).rawValue)")
        }
        Report.line("spooled \(try await (store as? any SessionSpooling)?.spooledSessions().count ?? 0)")
    }

    private func failing(_ store: some SessionStore, _ point: Failpoint) -> any SessionStore {
        FailingStore(inner: store, point: point)
    }
}

private final class Ending: Sendable {
    let isNear = Atomic(false)
}
