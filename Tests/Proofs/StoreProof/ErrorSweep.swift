internal import Foundation
internal import Glibc
internal import IdentityKit
internal import IdentitySQLite
internal import StoreFaults

/// Runs a script of all store operations many times, and makes another file operation fail in each run.
struct ErrorSweep {
    struct Variant: Sendable, CustomStringConvertible {
        let description: String
        let error: Int32
        let isLasting: Bool
        let isTorn: Bool
        let isLog: Bool

        static let all: [Variant] = [false, true].flatMap { isLog in
            let journal = isLog ? "log" : "journal"
            return [
                Variant("EIO once, \(journal)", EIO, isLog: isLog),
                Variant("EIO from then on, \(journal)", EIO, isLasting: true, isLog: isLog),
                Variant("ENOSPC once, half written, \(journal)", ENOSPC, isTorn: true, isLog: isLog),
                Variant("ENOSPC from then on, \(journal)", ENOSPC, isLasting: true, isLog: isLog),
            ]
        }

        static let silent = Variant("silent", 0, isLasting: true, isLog: false)

        init(_ description: String, _ error: Int32, isLasting: Bool = false, isTorn: Bool = false, isLog: Bool) {
            self.description = description
            self.error = error
            self.isLasting = isLasting
            self.isTorn = isTorn
            self.isLog = isLog
        }

        func arm(_ number: Int) {
            if error == 0 { return faults_arm(Int32(FAULT_WRITE.rawValue), Int64(number), 0, 1, 0) }
            var kinds = FAULT_WRITE.rawValue | FAULT_TRUNCATE.rawValue | FAULT_OPEN.rawValue | FAULT_NAME.rawValue
            if error == EIO { kinds |= FAULT_SYNC.rawValue }
            faults_arm(Int32(kinds), Int64(number), error, isLasting ? 1 : 0, isTorn ? 1 : 0)
        }
    }

    struct Tally {
        var points = 0
        var failed = 0
        /// The operations that reported an error but took effect.
        var unannounced: [String: Int] = [:]
        var findings: [String] = []
    }

    /// The maximum number of points; nil for all.
    let limit: Int?
    let mutant: Mutant

    func run() async throws -> Bool {
        var tally = Tally()
        let place = try Folder()
        for variant in mutant == .silentWrites ? [Variant.silent] : Variant.all {
            let (baseline, ledger) = try await Self.baseline(variant)
            let calls = try await Self.count(variant, baseline, ledger, place)
            let step = limit.map { max(1, calls * Variant.all.count / $0) } ?? 1
            for number in stride(from: 1, through: calls, by: step) {
                tally.points += 1
                do {
                    try await point(number, variant, baseline, ledger, place, &tally)
                } catch {
                    tally.findings.append("\(variant), call \(number): \(error)")
                }
                faults_arm(0, 0, 0, 0, 0)
                unsafe faults_watch("")
            }
        }
        for finding in tally.findings.prefix(20) { print("BROKEN: \(finding)") }
        print(
            """
            I/O errors: \(tally.points) points, \(tally.failed) calls of the store failed, \
            \(tally.unannounced.values.reduce(0, +)) of them took effect (\(Self.list(tally.unannounced))), \(tally.findings.count) findings
            """
        )
        return tally.findings.isEmpty && tally.points > 0
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.isEmpty
            ? "none" : counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    /// A store with rows of every kind, sealed under the older key.
    private static func baseline(_ variant: Variant) async throws -> (Folder, Ledger) {
        let folder = try Folder()
        var configuration = try Sample.configuration(folder, isLog: variant.isLog)
        configuration.key = try Sample.key(1)
        let store = try await SQLiteStore.open(configuration)
        var ledger = Ledger()
        var steps = try (0..<8).map { Step.insert(try Sample.session($0)) }
        steps.append(.insert(try Sample.session(8, retainedUntil: Sample.early)))
        steps += [.beginLogin("first"), .attach(try Sample.session(0).id, "cart"), .markUsed("first")]
        for step in steps {
            try await step.run(on: store)
            ledger.apply(step)
        }
        await store.close()
        return (folder, ledger)
    }

    /// All store operations, in a possible order.
    private static func script(_ place: Folder) throws -> [Step] {
        let sessions = try (0..<10).map { try Sample.session($0) }
        let claimed = sessions[1].next("tokens of 1", isInDoubt: true)
        return [
            .save(claimed), .save(claimed.next("refreshed")), .insert(sessions[9]), .beginLogin("second"),
            .takeLogin("first"), .markUsed("second"), .attach(sessions[0].id, "another cart"),
            .attach(sessions[2].id, "new cart"), .attach(sessions[0].id, nil), .remove(sessions[2].id),
            .spool(sessions[3].next("spooled")), .unspool(sessions[3].id), .spool(sessions[4].next("kept")),
            .sweep(Sample.early + 1), .reseal, .quarantine,
            .save(sessions[5].next(String(repeating: "x", count: 3_000))), .backUp(place.path + "/copy.sqlite"),
            .remove(sessions[6].id),
        ]
    }

    private static func count(
        _ variant: Variant,
        _ baseline: Folder,
        _ ledger: Ledger,
        _ place: Folder
    ) async throws -> Int {
        try place.copy(baseline)
        unsafe faults_watch(place.path)
        variant.arm(Int.max)
        let store = try await SQLiteStore.open(Sample.configuration(place, isLog: variant.isLog))
        for step in try script(place) { try await step.run(on: store) }
        let calls = Int(faults_counted())
        await store.close()
        unsafe faults_watch("")
        guard calls > 50 else {
            throw Finding("only \(calls) file operations were counted, so the functions are not replaced")
        }
        return calls
    }

    private func point(
        _ number: Int,
        _ variant: Variant,
        _ baseline: Folder,
        _ start: Ledger,
        _ place: Folder,
        _ tally: inout Tally
    ) async throws {
        try place.copy(baseline)
        unsafe faults_watch(place.path)
        variant.arm(number)
        var ledger = start
        var later = start
        let configuration = try Sample.configuration(place, isLog: variant.isLog)
        if let store = try await attempt(&tally, { try await SQLiteStore.open(configuration) }) {
            for step in try Self.script(place) {
                let isPossible = Self.isPossible(step, ledger)
                guard isPossible else { continue }
                if try await attempt(&tally, { try await step.run(on: store) }) != nil {
                    ledger.apply(step)
                    later.apply(step)
                } else {
                    var maybe = ledger
                    maybe.apply(step)
                    faults_arm(0, 0, 0, 0, 0)
                    // With a lasting fault the file cannot be removed either.
                    if case .backUp(let path) = step, !variant.isLasting, FileManager.default.fileExists(atPath: path) {
                        throw Finding("\(step) failed, but left its file")
                    }
                    // Looks up whether the failed step took effect, and records the result.
                    switch try await settle(step, store, ledger, maybe) {
                    case .notDone: break
                    case .finished: ledger = maybe
                    case .doneAllTheSame:
                        // The store checks after a failed commit whether it took effect. Only the spool, a directory of
                        // files, has no such check.
                        guard step.isOfSpool else { throw Finding("\(step) failed, but took effect") }
                        tally.unannounced["\(step)", default: 0] += 1
                        ledger = maybe
                    }
                    later = ledger
                    if variant.isLasting { variant.arm(1) }
                }
            }
            faults_arm(0, 0, 0, 0, 0)
            // The same store continues when the fault is over.
            let last = Step.insert(try Sample.session(99))
            try await last.run(on: store)
            ledger.apply(last)
            later.apply(last)
            await store.close()
        }
        faults_arm(0, 0, 0, 0, 0)
        let store = try await SQLiteStore.open(configuration)
        try await ledger.check(store, or: later)
        await store.close()
    }

    /// Steps that depend on a failed step are skipped.
    private static func isPossible(_ step: Step, _ ledger: Ledger) -> Bool {
        switch step {
        case .save(let session):
            ledger.values[.session(session.id)]?.hasPrefix("\(session.generation - 1) ") ?? false
        case .attach(let id, let payload):
            ledger.values[.session(id)] != nil && (payload != nil || ledger.values[.cart(id)] != nil)
        case .remove(let id): ledger.values[.session(id)] != nil
        case .takeLogin(let key): ledger.values[.login(key)] != nil
        default: true
        }
    }

    private enum Outcome {
        case notDone, doneAllTheSame
        /// The step was run again after the fault, because a check would change the state, or the step may have taken effect in part.
        case finished

        init(_ isDone: Bool) {
            self = isDone ? .doneAllTheSame : .notDone
        }
    }

    /// Returns whether a failed step took effect.
    private func settle(_ step: Step, _ store: SQLiteStore, _ before: Ledger, _ after: Ledger) async throws -> Outcome {
        switch step {
        case .save(let session), .insert(let session):
            return Outcome(try await store.session(session.id)?.generation == session.generation)
        case .remove(let id): return Outcome(try await store.session(id) == nil)
        case .spool(let session):
            return Outcome(try await store.spooledSession(session.id)?.generation == session.generation)
        case .unspool(let id): return Outcome(try await store.spooledSession(id) == nil)
        case .markUsed(let key): return Outcome(try await store.isUsed(key))
        case .attach(let id, _):
            let found = try await store.attachment("cart", of: id)?.payload.reveal()
            return Outcome(found == after.values[.cart(id)] && found != before.values[.cart(id)])
        case .beginLogin, .sweep:
            try await step.run(on: store)
            return .finished
        case .takeLogin(let key):
            _ = try await store.takeLoginAttempt(key)
            return .finished
        case .reseal, .quarantine, .backUp: return .notDone
        }
    }

    /// Runs a call of the store; nil if it failed with a correct error of the SDK.
    private func attempt<Result>(_ tally: inout Tally, _ body: () async throws -> Result) async throws -> Result? {
        do {
            return try await body()
        } catch let error as IdentityError {
            let isHonest: [IdentityError.Code] = [.storeFull, .storeFailed, .storeBusy]
            guard isHonest.contains(error.code), error.kind != .signInAgain, error.kind != .rejected else {
                throw Finding("the fault is reported as \(error.kind) \(error.code): \(error)")
            }
            tally.failed += 1
            return nil
        }
    }
}
