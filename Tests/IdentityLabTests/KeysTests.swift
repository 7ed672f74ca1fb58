import Foundation
import IdentityKit
import IdentityPlatform
import IdentitySQLite
import IdentityStoreKit
import StorefrontSandbox
import Testing

@Suite("identity-lab keys", .timeLimit(.minutes(10)))
struct KeysTests {
    @Test("the keys command does not create a missing database")
    func missing() async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            let ended = try await world.run("keys", "list", key: "OLD_KEY")
            #expect(ended.status == 2)
            #expect(!FileManager.default.fileExists(atPath: world.path))
        }
    }

    @Test("a key is rotated in five reversible steps without the loss of a session")
    func exchange() async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            let ids = try await world.fill(230)
            #expect(try await world.rows(key: "OLD_KEY") == ["active": 230])

            // 1: add the new key as read-only; after the step is reverted, everything is as before.
            #expect(try await world.rows(key: "OLD_KEY", readOnly: ["NEW_KEY"]) == ["active": 230, "read_only": 0])
            #expect(try await world.isWhole(ids, key: "OLD_KEY"))

            // 2: one machine encrypts with the new key and the other reads it; after the step is reverted, all rows are readable.
            let more = try await world.store(key: "NEW_KEY", readOnly: ["OLD_KEY"])
            var session = try #require(try await more.session(ids[0]))
            session.generation += 1
            #expect(try await more.replace(session, expecting: session.generation - 1))
            await more.close()
            #expect(try await world.isWhole(ids, key: "OLD_KEY", readOnly: ["NEW_KEY"]))
            #expect(try await world.rows(key: "OLD_KEY", readOnly: ["NEW_KEY"]) == ["active": 229, "read_only": 1])

            // 3: encrypt everything with the new key, and with the old one again.
            let forth = try await world.run("keys", "rotate", key: "NEW_KEY", readOnly: ["OLD_KEY"])
            #expect(forth.status == 0)
            #expect(try forth.event("rotation")["resealed"]?.number?.integer == 229)
            #expect(try forth.event("rotation")["remaining"]?.number?.integer == 0)
            #expect(forth.errors.contains("229 records encrypted"))
            #expect(try await world.isWhole(ids, key: "OLD_KEY", readOnly: ["NEW_KEY"]))
            let back = try await world.run("keys", "rotate", key: "OLD_KEY", readOnly: ["NEW_KEY"])
            #expect(back.status == 0)
            #expect(try back.event("rotation")["resealed"]?.number?.integer == 230)
            #expect(try await world.isWhole(ids, key: "OLD_KEY"))
            #expect(try await world.run("keys", "rotate", key: "NEW_KEY", readOnly: ["OLD_KEY"]).status == 0)

            // 4 and 5: no row uses the old key, and it is removed; after it is added again, nothing changes.
            #expect(try await world.rows(key: "NEW_KEY", readOnly: ["OLD_KEY"]) == ["active": 230, "read_only": 0])
            #expect(try await world.isWhole(ids, key: "NEW_KEY"))
            let sound = try await world.run("keys", "verify", key: "NEW_KEY")
            #expect(sound.status == 0)
            #expect(try sound.event("verification")["sound"]?.bool == true)
            #expect(try sound.event("verification")["sessions"]?.number?.integer == 230)
            #expect(try await world.isWhole(ids, key: "NEW_KEY", readOnly: ["OLD_KEY"]))
            for ended in [forth, back, sound] {
                for key in [world.old, world.new] { #expect(!(ended.output + ended.errors).contains(key)) }
            }
        }
    }

    @Test("a machine without the new key reports the missing key and deletes nothing")
    func missedStep() async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            let ids = try await world.fill(5)
            let otherKey = try await world.run("keys", "list", key: "NEW_KEY")
            #expect(otherKey.status == 2)
            #expect(try otherKey.event("error")["code"]?.string == "store_key_mismatch")
            // After one opening with both keys, the new key opens the store, but not its rows.
            _ = try await world.rows(key: "NEW_KEY", readOnly: ["OLD_KEY"])
            #expect(try await world.rows(key: "NEW_KEY") == ["active": 0, "missing": 5])
            for action in ["rotate", "verify"] {
                let ended = try await world.run("keys", action, key: "NEW_KEY")
                #expect(ended.status == 2)
                #expect(try ended.event("error")["code"]?.string == "store_key_mismatch")
            }
            let verified = try await world.run("keys", "verify", key: "NEW_KEY").event("verification")
            #expect(verified["rows_without_key"]?.number?.integer == 5)
            #expect(verified["damaged_rows"]?.number?.integer == 0)
            #expect(try await world.isWhole(ids, key: "OLD_KEY"))
        }
    }

    @Test("keys rotate postpones a session with a refresh in progress, and the next run encrypts it")
    func postponed() async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            let settled = try await world.fill(3)
            let busy = try await world.fill(1, isInDoubt: true)
            let first = try await world.run("keys", "rotate", key: "NEW_KEY", readOnly: ["OLD_KEY"])
            #expect(first.status == 75)
            #expect(try first.event("rotation")["resealed"]?.number?.integer == 3)
            #expect(try first.event("rotation")["postponed"]?.number?.integer == 1)
            #expect(try first.event("error")["kind"]?.string == "retry_later")
            let store = try await world.store(key: "OLD_KEY", readOnly: ["NEW_KEY"])
            var session = try #require(try await store.session(busy[0]))
            session.isInDoubt = false
            session.generation += 1
            #expect(try await store.replace(session, expecting: session.generation - 1))
            await store.close()
            let second = try await world.run("keys", "rotate", key: "NEW_KEY", readOnly: ["OLD_KEY"])
            #expect(second.status == 0)
            #expect(try second.event("rotation")["resealed"]?.number?.integer == 1)
            #expect(try await world.isWhole(settled, key: "NEW_KEY"))
            #expect(try await world.isWhole(busy, key: "NEW_KEY"))
        }
    }

    @Test("keys rotate asks for another run while the spool has a session under the old key, also if a row is damaged")
    func spooled() async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            let ids = try await world.fill(40)
            let store = try await world.store(key: "OLD_KEY")
            try await store.spool(try #require(try await store.session(ids[0])))
            await store.close()
            _ = try world.damageRecord()
            let first = try await world.run("keys", "rotate", key: "NEW_KEY", readOnly: ["OLD_KEY"])
            #expect(first.status == 75)
            #expect(try first.event("rotation")["unreadable"]?.number?.integer == 1)
            #expect(try first.event("rotation")["remaining"]?.number?.integer == 2)
            let other = try await world.store(key: "NEW_KEY", readOnly: ["OLD_KEY"])
            try await other.removeSpooledSession(ids[0])
            await other.close()
            let second = try await world.run("keys", "rotate", key: "NEW_KEY", readOnly: ["OLD_KEY"])
            #expect(second.status == 2)
            let error = try second.event("error")
            #expect(error["code"]?.string == "store_corrupt")
            // A record with a damaged header can hide a record that must be encrypted again, so the hint asks for another rotation.
            #expect(error["hint"]?.string?.contains("keys rotate") == true, "\(error)")
        }
    }

    @Test(
        "an interrupted or killed rotation continues at the next run and loses nothing",
        arguments: [SIGINT, SIGKILL]
    )
    func interrupted(_ signal: Int32) async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            let ids = try await world.fill(1_500)
            let process = try world.start(["keys", "rotate"], key: "NEW_KEY", readOnly: ["OLD_KEY"])
            // Wait until another process sees that a row was encrypted with the new key.
            let watcher = try await world.store(key: "OLD_KEY", readOnly: ["NEW_KEY"])
            while try await watcher.keyUsage().allSatisfy({ $0.role != .readOnly || $0.rows == 0 }) {}
            process.signal(signal)
            let ended = await process.ended()
            #expect(signal == SIGKILL || [0, 130].contains(ended.status))
            await watcher.close()
            let rest = try await world.run("keys", "rotate", key: "NEW_KEY", readOnly: ["OLD_KEY"])
            #expect(rest.status == 0)
            #expect(try rest.event("rotation")["remaining"]?.number?.integer == 0)
            #expect(try await world.isWhole(ids, key: "NEW_KEY"))
        }
    }

    @Test("an error about a read-only key names its member")
    func configuration() async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            let missing = try await world.run("keys", "list", key: "OLD_KEY", readOnly: ["NEW_KEY", "NO_SUCH_KEY"])
            #expect(missing.status == 2)
            #expect(try missing.event("error")["message"]?.string?.contains("store.readOnlyKeys[1]") == true)
            let wrong = try await world.run("keys", "list", key: "OLD_KEY", readOnly: ["PATH"])
            #expect(wrong.status == 2)
            #expect(try wrong.event("error")["message"]?.string?.contains("store.readOnlyKeys[0]") == true)
            var root = try world.configuration()
            root["store"] = .object([
                "path": .string(world.path), "key": .object(["env": .string("OLD_KEY")]),
                "readOnlyKey": .array([]),
            ])
            let file = try stage.write(.object(root), to: "unknown.json")
            let unknown = try await LabProcess(
                ["keys", "list", "--json", "--config", file],
                environment: world.environment
            ).ended()
            #expect(unknown.status == 2)
            #expect(try unknown.event("error")["message"]?.string?.contains("store.readOnlyKey ") == true)
        }
    }

    @Test(
        "identity-lab does not convert a database with a write-ahead log, also if its SQLite library must not write to one"
    )
    func writeAheadLog() async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            let keys = StoreKeys(active: try StoreKey(hexadecimal: Secret(world.old)))
            let store = try await SQLiteStore.open(path: world.path, keys: keys) {
                ($0.journal, $0.trustsWriteAheadLog) = (.writeAheadLog, true)
            }
            await store.close()
            let ended = try await world.run("keys", "list", key: "OLD_KEY")
            let file = try Data(contentsOf: URL(fileURLWithPath: world.path))
            // Byte 18 is the write version of the file format. 2 means a write-ahead log.
            #expect(file[18] == 2)
            guard ended.status != 0 else { return }
            let message = try ended.event("error")["message"]?.string
            #expect(message?.hasPrefix("The journal mode writeAheadLog is refused") == true)
        }
    }

    @Test("keys verify counts damaged rows and changes nothing")
    func damaged() async throws {
        try await LabStage.with { stage in
            let world = World(stage)
            _ = try await world.fill(40)
            let bytes = try world.damageRecord()
            let ended = try await world.run("keys", "verify", key: "OLD_KEY")
            #expect(ended.status == 2)
            #expect(try ended.event("error")["code"]?.string == "store_corrupt")
            let event = try ended.event("verification")
            #expect(event["damaged_rows"]?.number?.integer == 1)
            #expect(event["sessions"]?.number?.integer == 40)
            #expect(event["sound"]?.bool == false)
            let after = try Data(contentsOf: URL(fileURLWithPath: world.path))
            #expect(after == bytes)
        }
    }
}
