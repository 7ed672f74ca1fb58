import Foundation
import IdentityKit
import IdentitySQLite
import IdentityStoreKit
import Testing

extension KeysTests {
    /// Sessions in a database, and the configurations of machines at each step of a rotation.
    struct World {
        let stage: LabStage
        let old = "11" + String(repeating: "2a", count: 31)
        let new = "33" + String(repeating: "4c", count: 31)
        let path: String

        init(_ stage: LabStage) {
            self.stage = stage
            path = stage.folder.appendingPathComponent("keys.sqlite").path
        }

        /// Runs the program with a configuration that has these keys.
        func run(_ arguments: String..., key: String, readOnly: [String] = []) async throws -> LabProcess.Ended {
            try await start(arguments, key: key, readOnly: readOnly).ended()
        }

        func start(_ arguments: [String], key: String, readOnly: [String]) throws -> LabProcess {
            var root = try configuration()
            var store: JSONObject = ["path": .string(path), "key": .object(["env": .string(key)])]
            if !readOnly.isEmpty {
                store["readOnlyKeys"] = .array(readOnly.map { .object(["env": .string($0)]) })
            }
            root["store"] = .object(store)
            let file = try stage.write(.object(root), to: "\(UUID().uuidString).json")
            return try LabProcess(arguments + ["--json", "--config", file], environment: environment)
        }

        var environment: [String: String] {
            stage.environment.merging(["OLD_KEY": old, "NEW_KEY": new]) { $1 }
                .filter { $0.key != "IDENTITY_STORE_KEY" }
        }

        func configuration() throws -> JSONObject {
            let bytes = try Data(contentsOf: stage.folder.appendingPathComponent("lab.json"))
            return try #require(try JSONValue(parsing: Array(bytes)).object)
        }

        func store(key: String, readOnly: [String] = []) async throws -> SQLiteStore {
            func made(_ name: String) throws -> StoreKey {
                try StoreKey(hexadecimal: Secret(name == "OLD_KEY" ? old : new))
            }
            let keys = StoreKeys(active: try made(key), readOnly: try readOnly.map(made))
            return try await SQLiteStore.open(path: path, keys: keys) { $0.lockWait = .seconds(60) }
        }

        func fill(_ count: Int, key: String = "OLD_KEY", isInDoubt: Bool = false) async throws -> [SessionID] {
            let store = try await store(key: key)
            let sessions = try (0..<count).map { number in
                StoredSession(
                    id: try #require(
                        SessionID(
                            rawValue: String(("\(number)" + UUID().uuidString.filter { $0 != "-" }).prefix(21)) + "A"
                        )
                    ),
                    provider: "any",
                    tenant: "",
                    issuer: "https://id.example",
                    subject: "buyer-\(number)",
                    createdAt: Date(timeIntervalSince1970: 1_790_000_000),
                    retainedUntil: Date(timeIntervalSince1970: 2_000_000_000),
                    isInDoubt: isInDoubt,
                    payload: Secret("tokens of \(number)")
                )
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in sessions { group.addTask { try await store.insert(session) } }
                try await group.waitForAll()
            }
            await store.close()
            return sessions.map(\.id)
        }

        /// Changes a byte of one record in the database, and returns the new content of the file.
        func damageRecord() throws -> Data {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let magic = try #require(bytes.lastRange(of: Data("IKSR".utf8)))
            bytes[magic.lowerBound + 200] ^= 1
            try bytes.write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            return bytes
        }

        /// Whether every session can be read with these keys.
        func isWhole(_ ids: [SessionID], key: String, readOnly: [String] = []) async throws -> Bool {
            let store = try await store(key: key, readOnly: readOnly)
            for (number, id) in ids.enumerated() {
                guard try await store.session(id)?.payload.reveal() == "tokens of \(number)" else { return false }
            }
            await store.close()
            return true
        }

        /// The number of rows of each key, by role.
        func rows(key: String, readOnly: [String] = []) async throws -> [String: Int] {
            let ended = try await run("keys", "list", key: key, readOnly: readOnly)
            #expect(ended.status == 0)
            let events = try ended.events().filter { $0["event"]?.string == "key" }
            return Dictionary(
                events.map { ($0["role"]?.string ?? "", $0["rows"]?.number?.integer ?? -1) },
                uniquingKeysWith: +
            )
        }
    }
}
