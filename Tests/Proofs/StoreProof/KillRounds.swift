internal import Foundation
internal import Glibc
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityStoreKit
internal import TestDoubles

/// Starts processes that write to one store and record each acknowledged save, and kills all of them at a random moment.
struct KillRounds {
    private static let writers = 4
    private static let sessionsEach = 5

    let rounds: Int
    let seed: UInt64
    let mutant: Mutant

    func run() async throws -> Bool {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let folder = try Folder()
        try await Self.fill(folder)
        var acknowledged = 0
        var findings: [String] = []
        for round in 0..<rounds {
            let isLog = round % 2 == 1
            let pause = UInt32.random(in: 0...100_000, using: &generator)
            do {
                let kept = try await self.round(folder, pause, isLog: isLog)
                acknowledged += kept
            } catch {
                findings.append("round \(round): \(error)")
            }
        }
        for finding in findings.prefix(20) { print("BROKEN: \(finding)") }
        print(
            """
            kill -9: \(rounds) rounds of \(Self.writers) processes, \(acknowledged) acknowledged saves (seed \(seed)), \
            \(findings.count) rounds lost or damaged data
            """
        )
        return findings.isEmpty && acknowledged > 0
    }

    private static func fill(_ folder: Folder) async throws {
        let store = try await SQLiteStore.open(Sample.configuration(folder))
        for number in 0..<writers * sessionsEach { try await store.insert(Sample.session(number)) }
        await store.close()
    }

    /// Runs one round and returns the number of acknowledged saves.
    private func round(_ folder: Folder, _ pause: UInt32, isLog: Bool) async throws -> Int {
        // Old versions of SQLite can damage a write-ahead log that several processes use.
        let count = isLog ? 1 : Self.writers
        let children = try (0..<count).map { number in
            try Self.start(["writer", folder.path, "\(number)", isLog ? "log" : "journal", mutant.rawValue])
        }
        // Starting the processes may take long on a busy machine.
        var remainingPolls = 30_000
        while remainingPolls > 0, !Self.haveAllBegun(folder, count) {
            remainingPolls -= 1
            usleep(2_000)
        }
        usleep(pause)
        for child in children { kill(child, SIGKILL) }
        for child in children {
            var status: Int32 = 0
            while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
            guard status & 0x7F == SIGKILL else { throw Finding("a writer ended by itself, status \(status)") }
        }
        let store = try await SQLiteStore.open(Sample.configuration(folder, isLog: isLog))
        guard try await store.checkHealth().isSound else { throw Finding("the store has damaged rows") }
        var saves = 0
        for number in 0..<count {
            let file = folder.path + "/acknowledged-\(number)"
            let lines = (try? String(contentsOfFile: file, encoding: .utf8))?.split(separator: "\n") ?? []
            saves += lines.count
            var last: [Int: Int64] = [:]
            for line in lines {
                let parts = line.split(separator: " ").compactMap { Int64($0) }
                if parts.count == 2 { last[Int(parts[0])] = parts[1] }
            }
            for (number, generation) in last {
                let found = try await store.session(Sample.session(number).id)
                guard let found, found.generation >= generation else {
                    throw Finding("session \(number): \(found?.generation ?? 0) instead of \(generation)")
                }
                // A save without acknowledgement may have taken effect, but only completely.
                guard found.payload.reveal() == "generation \(found.generation)" else {
                    throw Finding("session \(number): the payload is of another generation")
                }
            }
            _ = unsafe unlink(file)
            try await Self.checkLogins(of: number, folder, store)
        }
        await store.close()
        return saves
    }

    /// Checks that the last login that was begun is stored, and that those that were taken are not.
    private static func checkLogins(of writer: Int, _ folder: Folder, _ store: SQLiteStore) async throws {
        let file = folder.path + "/begun-\(writer)"
        let begun = ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
        _ = unsafe unlink(file)
        // The login before the last one may have been taken when the process was killed.
        for login in begun.dropLast(2) where try await store.takeLoginAttempt(login) != nil {
            throw Finding("\(login) was taken twice")
        }
        if let last = begun.last, try await store.takeLoginAttempt(last) == nil { throw Finding("\(last) is missing") }
    }

    private static func haveAllBegun(_ folder: Folder, _ count: Int) -> Bool {
        (0..<count).allSatisfy { number in
            var status = stat()
            return unsafe stat(folder.path + "/acknowledged-\(number)", &status) == 0 && status.st_size > 0
        }
    }

    private static func start(_ arguments: [String]) throws -> pid_t {
        let words = unsafe (["store-proof"] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var child = pid_t()
        let result = unsafe posix_spawn(&child, "/proc/self/exe", nil, nil, words, environ)
        guard result == 0 else { throw Finding("posix_spawn: \(result)") }
        return child
    }

    // MARK: The child

    /// Saves the writer's sessions, and begins and takes logins, until the process is killed.
    static func write(_ folder: String, _ writer: Int, isLog: Bool, _ mutant: Mutant) async throws {
        let store = try await SQLiteStore.open(Sample.configuration(in: folder, isLog: isLog))
        let file = unsafe open(folder + "/acknowledged-\(writer)", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { throw Finding("the file for acknowledged saves cannot be opened") }
        let begun = unsafe open(folder + "/begun-\(writer)", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard begun >= 0 else { throw Finding("the file for logins cannot be opened") }
        let numbers = (0..<sessionsEach).map { writer * sessionsEach + $0 }
        for turn in 0... {
            try await store.insert(
                StoredLoginAttempt(key: "login \(getpid()) \(turn)", expiresAt: Sample.late, payload: Secret("login"))
            )
            let line = Array("login \(getpid()) \(turn)\n".utf8)
            _ = unsafe Glibc.write(begun, line, line.count)
            if turn > 0, try await store.takeLoginAttempt("login \(getpid()) \(turn - 1)") == nil {
                throw Finding("login \(turn - 1) is missing")
            }
            try await withThrowingTaskGroup { group in
                // The saves run concurrently, so that they share transactions.
                for number in numbers {
                    group.addTask {
                        guard let session = try await store.session(Sample.session(number).id) else {
                            throw Finding("session \(number) is missing")
                        }
                        let next = session.next(
                            "generation \(session.generation + 1)",
                            isInDoubt: !session.isInDoubt
                        )
                        let line = Array("\(number) \(next.generation)\n".utf8)
                        if mutant == .earlyAcknowledgement { _ = unsafe Glibc.write(file, line, line.count) }
                        guard try await store.replace(next, expecting: session.generation) else { return }
                        _ = unsafe Glibc.write(file, line, line.count)
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
