import FoundationEssentials
import IdentityKit
import IdentityPlatform
import IdentitySandbox
import StorefrontSandbox
import TestDirectories
import TestProcesses
import Testing

@Suite("A node of shop-load", .timeLimit(.minutes(10)))
struct LoadNodeTests {
    @Test("a node ends by itself when the driver that started it has ended")
    func endsWithDriver() async throws {
        let sandbox = try await ShopSandbox.start(storefront: .wholeShop)
        let folder = try TemporaryDirectory("shop-load-node")
        defer { folder.remove() }
        let port = String(try LoopbackPort.free())
        let origin = "http://127.0.0.1:\(port)"
        let made = sandbox.labConfiguration(app: origin, storePath: folder.path(of: "identity.sqlite"))
        var variables = JSONObject()
        for (name, value) in made.environment { variables[name] = .string(value) }
        let order: JSONObject = [
            "configuration": .string(String(decoding: made.json.serialized, as: UTF8.self)),
            "variables": .object(variables), "origin": .string(origin),
        ]
        let text = String(decoding: JSONValue.object(order).serialized, as: UTF8.self)
        let node = try Spawned.start(
            Spawned.path(of: "shop-load"),
            ["node", port],
            ["SHOP_LOAD_ORDER": text],
            sharingErrors: true
        )
        let lines = LineReader(node.output)
        while let line = await lines.next(), line != "ready" {}
        // A driver that ended has closed its end of the pipe.
        close(node.input)
        while await lines.next() != nil {}
        // The signal has no effect on a node that has ended. A node that still runs at the time limit must not outlive the test.
        kill(node.identifier, SIGKILL)
        #expect(await node.ended() == 0)
        lines.end()
        await sandbox.stop()
    }
}
