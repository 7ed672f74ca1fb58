internal import Glibc
internal import IdentityKit
internal import IdentitySQLite
internal import StoreFaults
internal import TestDoubles

/// Records the writes of a store, creates disk contents that are possible after a power loss, and opens the store on each
/// of them.
struct PowerLoss {
    let states: Int
    let seed: UInt64
    let mutant: Mutant

    private struct Tally {
        var tried = 0
        var ahead = 0
        var findings: [String] = []
    }

    func run() async throws -> Bool {
        faults_skip_syncs(mutant == .noSync ? 1 : 0, mutant == .noSync || mutant == .noDirectorySync ? 1 : 0)
        print("seed \(seed)")
        var tally = Tally()
        for isLog in [false, true] { try await run(isLog: isLog, &tally) }
        for finding in tally.findings.prefix(20) { print("BROKEN: \(finding)") }
        print(
            """
            power loss: \(tally.tried) disks (seed \(seed)), \(tally.ahead) contained more than was acknowledged, \
            \(tally.findings.count) lost or damaged data
            """
        )
        return tally.findings.isEmpty && tally.tried >= states
    }

    private func run(isLog: Bool, _ tally: inout Tally) async throws {
        var generator = SeededGenerator(seed: seed ^ (isLog ? 1 : 0))
        let (records, steps) = try await Self.recorded(isLog: isLog, &generator)
        let folder = try Folder()
        var disk = Disk()
        var ledger = Ledger()
        var later = ledger
        var isOpened = false
        let wanted = states / 2 + 1
        let writes = records.count { if case .mark = $0 { false } else { true } }
        var written = 0
        var made = 0
        for (position, record) in records.enumerated() {
            if case .mark(let number) = record {
                // An even number marks the beginning of a step, an odd number its acknowledgement.
                if number == 0 {
                    isOpened = true
                } else if number % 2 == 0 {
                    later.apply(steps[number / 2 - 1])
                } else {
                    ledger.apply(steps[number / 2 - 1])
                }
                continue
            }
            disk.apply(record)
            written += 1
            // The tried disks are spread evenly over all recorded changes.
            let due = wanted * written / writes
            while made < due {
                made += 1
                tally.tried += 1
                do {
                    try disk.leave(in: folder, &generator)
                    if try await check(folder, ledger, later, isLog: isLog) { tally.ahead += 1 }
                } catch {
                    let state = isOpened ? "" : " before the store was opened"
                    tally.findings.append("\(isLog ? "log" : "journal"), after write \(position)\(state): \(error)")
                }
            }
        }
    }

    private func check(_ folder: Folder, _ ledger: Ledger, _ later: Ledger, isLog: Bool) async throws -> Bool {
        var configuration = try Sample.configuration(folder, isLog: isLog)
        if mutant != .sameBoot { configuration.bootID = { "boot 2" } }
        let store = try await SQLiteStore.open(configuration)
        return try await cleaningUp(store.close) { try await ledger.check(store, or: later, mayLackLogins: true) }
    }

    // MARK: The workload

    private static func recorded(
        isLog: Bool,
        _ generator: inout SeededGenerator
    ) async throws -> ([Disk.Change], [Step]) {
        let folder = try Folder()
        unsafe faults_watch(folder.path)
        faults_record(1)
        defer { unsafe faults_watch("") }
        let store = try await SQLiteStore.open(Sample.configuration(folder, isLog: isLog))
        faults_mark(0)
        var workload = Workload()
        var steps: [Step] = []
        for _ in 0..<60 {
            for step in try workload.next(&generator) {
                steps.append(step)
                faults_mark(Int64(2 * steps.count))
                try await step.run(on: store)
                faults_mark(Int64(2 * steps.count + 1))
            }
        }
        await store.close()
        faults_record(0)
        let count = faults_record_count()
        let records = (0..<count).compactMap { unsafe Disk.Change(faults_record_at($0), folder.path) }
        guard count > 200 else {
            throw Finding("only \(count) changes were recorded, so the functions are not replaced")
        }
        return (records, steps)
    }
}

/// A random workload.
private struct Workload {
    private var sessions: [StoredSession] = []
    private var logins: [String] = []
    private var number = 0

    mutating func next(_ generator: inout SeededGenerator) throws -> [Step] {
        number += 1
        guard sessions.count >= 5 else { return [try insert()] }
        let index = Int.random(in: 0..<sessions.count, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return [try insert()]
        case 1:
            let removed = sessions.remove(at: index)
            return [.remove(removed.id)]
        case 2:
            logins.append("login \(number)")
            return [.beginLogin("login \(number)")]
        case 3: return logins.popLast().map { [.takeLogin($0)] } ?? [.markUsed("token \(number)")]
        case 4: return [.attach(sessions[index].id, "cart \(number)")]
        case 5:
            let session = sessions[index].next("spooled \(number)")
            return [.spool(session)]
        default:
            // A refresh: the claim and the save, which is sometimes longer than the row before.
            let claimed = sessions[index].next(sessions[index].payload.reveal(), isInDoubt: true)
            let length = Int.random(in: 0..<8, using: &generator) == 0 ? 1_200 : 40
            sessions[index] = claimed.next("refreshed \(number) " + String(repeating: "x", count: length))
            return [.save(claimed), .save(sessions[index])]
        }
    }

    private mutating func insert() throws -> Step {
        sessions.append(try Sample.session(number))
        return .insert(sessions[sessions.count - 1])
    }
}
