import FoundationEssentials
import IdentityHTTP
import IdentityKit
import IdentityTesting
import IdentityWeb
import StorefrontSandbox
import Synchronization
import TestStores
import Testing

@Suite("A buyer's own list of sign-ins")
struct SignInListTests {
    /// The buyer Ada is signed in in two browsers, the buyer Grace in a third.
    private struct World {
        let stage: WebStage
        let first: TestBrowser
        let second: TestBrowser
        let grace: TestBrowser
    }

    @Sendable private static func app(_ context: WebContext) async throws -> WebResponse {
        switch context.request.path {
        case "/others": return .html("\(try await context.endOtherSignIns())")
        case "/end":
            let text = context.request.formValue("reference") ?? ""
            guard let reference = SessionReference(rawValue: text) else { return .html("no reference", status: 400) }
            let hasEnded = try await context.endSignIn(reference)
            return .html("\(hasEnded)\(try await context.session() == nil ? " and signed out" : "")")
        default:
            let list = try await context.signIns()
            return .html(
                list.map { entry in
                    [
                        entry.isCurrent ? "here" : entry.reference.rawValue, entry.browser?.address ?? "-",
                        entry.browser?.userAgent ?? "-",
                        "\(Int(entry.lastUsedAt.timeIntervalSince(entry.createdAt).rounded()))",
                    ].joined(separator: " ")
                }
                .joined(separator: "\n")
            )
        }
    }

    private func world(
        _ routes: (inout SignInRoutes.Configuration) -> Void = { $0.recordedBrowserDetails = [.address, .userAgent] },
        bridge: EventBridge = EventBridge { _ in }
    ) async throws -> World {
        let stage = try await WebStage(bridge: bridge, routes: routes)
        func browser(_ agent: String) -> TestBrowser {
            TestBrowser(stage.routes, userAgent: agent, app: Self.app)
        }
        let world = World(stage: stage, first: browser("One"), second: browser("Two"), grace: browser("Three"))
        try await stage.signIn(world.first)
        stage.clock.advance(by: .seconds(60))
        try await stage.signIn(world.second)
        try await stage.signIn(world.grace, as: stage.grace)
        return world
    }

    private func reference(_ browser: TestBrowser, _ world: World) throws -> String {
        try #require(world.stage.sessionID(browser)).reference.rawValue
    }

    @Test("the list shows this buyer's sign-ins, newest first, with browser and last use, and no session id")
    func list() async throws {
        let world = try await world()
        let other = try reference(world.second, world)
        world.stage.clock.advance(by: .seconds(1_200))
        let page = try await world.first.get("/list").text
        #expect(page == "\(other) 203.0.113.7 Two 0\nhere 203.0.113.7 One 1260")
        // Shortly after a stored use, another use is not stored.
        world.stage.clock.advance(by: .seconds(60))
        #expect(try await world.first.get("/list").text == page)
    }

    @Test("a damaged record of a sign-in hides only its browser, and a last use in the future is replaced")
    func damagedRecord() async throws {
        let world = try await world()
        let other = try #require(world.stage.sessionID(world.second))
        world.stage.store.damageAttachments(of: other)
        // The clock is a month ahead for a moment.
        world.stage.clock.advance(by: .seconds(1_200))
        world.stage.clock.jump(by: 30 * 86_400)
        _ = try await world.first.get("/list")
        world.stage.clock.jump(by: -30 * 86_400)
        world.stage.clock.advance(by: .seconds(1_200))
        let page = try await world.first.get("/list").text
        #expect(page == "\(other.reference.rawValue) - - 0\nhere 203.0.113.7 One 2460")
    }

    @Test("client address and user agent are stored only if the app permits them")
    func permission() async throws {
        let seen = EventLog()
        let world = try await world({ _ in }, bridge: seen.bridge)
        #expect(try await world.first.get("/list").text.hasSuffix("here - - 0"))
        #expect(seen.all.contains { $0.name == "identity_login_completed" })
        #expect(!seen.all.contains { $0.metadata.contains { ["client_address", "user_agent"].contains($0.name) } })

        let permitted = EventLog()
        _ = try await self.world({ $0.recordedBrowserDetails = [.userAgent] }, bridge: permitted.bridge)
        for name in ["identity_login_started", "identity_login_completed"] {
            let event = permitted.all.first { $0.name == name }
            #expect(event?.metadata.first { $0.name == "user_agent" }?.value == "One")
            #expect(event?.metadata.contains { $0.name == "client_address" } == false)
        }
    }

    @Test("a buyer can end one sign-in by its reference, or all others, but never another buyer's")
    func end() async throws {
        let world = try await world()
        let stage = world.stage
        let grace = try reference(world.grace, world)
        for text in [grace, "AAAAAAAAAAAAAAAA"] {
            #expect(try await world.first.post("/end", [("reference", text)]).text == "false")
        }
        let id = try #require(stage.sessionID(world.second))
        #expect(try await world.first.post("/end", [("reference", id.rawValue)]).status == 400)
        #expect(try await world.first.post("/end", [("reference", id.reference.rawValue)]).text == "true")
        #expect(try await world.second.get("/list").status == 303)
        #expect(try await world.grace.get("/list").status == 200)

        // The buyer may end the sign-in of this browser as well.
        try await stage.signIn(world.second)
        let own = try reference(world.second, world)
        #expect(try await world.second.post("/end", [("reference", own)]).text == "true and signed out")

        try await stage.signIn(world.second)
        #expect(try await world.first.post("/others").text == "1")
        #expect(try await world.second.get("/list").status == 303)
        #expect(try await world.first.get("/list").text.hasPrefix("here"))
        #expect(try await world.grace.get("/list").status == 200)
    }

    @Test("another site cannot end a sign-in, and a browser without a sign-in sees no list")
    func refused() async throws {
        let world = try await world()
        let foreign = ["Sec-Fetch-Site": "cross-site"]
        let text = try reference(world.second, world)
        #expect(try await world.first.post("/others", headers: foreign).status == 403)
        #expect(try await world.first.post("/end", [("reference", text)], headers: foreign).status == 403)
        #expect(try await world.second.get("/list").status == 200)
        let otherBrowser = TestBrowser(world.stage.routes, app: Self.app)
        #expect(try await otherBrowser.get("/list").status == 303)
        #expect(try await otherBrowser.post("/others").status == 303)
    }
}

final class EventLog: Sendable {
    private let events = Mutex<[ObservedEvent]>([])

    var all: [ObservedEvent] { events.withLock(\.self) }
    var bridge: EventBridge { EventBridge { [self] event in events.withLock { $0.append(event) } } }
}
