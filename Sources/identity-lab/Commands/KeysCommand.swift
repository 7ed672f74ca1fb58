internal import IdentityKit
internal import IdentityStoreKit

/// Shows, exchanges and checks the keys of the session database.
struct KeysCommand: Command {
    static let name = "keys"
    static let usage = "keys list|rotate|verify"
    static let summary =
        "Show the keys of the session database, seal everything under the active one, or check every row."
    static let actions = Action.allCases.map(\.rawValue)
    static let options: [Option] = []
    static let examples = [
        "identity-lab keys list                  which keys there are, and how many rows are sealed under each",
        "identity-lab keys rotate                seal every row under store.key, 100 at a time; may be interrupted",
        "identity-lab keys verify --json         open every row and report what cannot be opened",
    ]

    enum Action: String, CaseIterable {
        case list, rotate, verify
    }

    private let action: Action

    init(_ arguments: Arguments) throws {
        guard let action = arguments.action.flatMap(Action.init) else {
            throw UsageError("keys needs one of \(Self.actions.joined(separator: ", ")).", command: Self.self)
        }
        self.action = action
    }

    func run(_ lab: Lab) async throws {
        let store = try await lab.openStore()
        switch action {
        case .list: try await list(try Self.able(store), lab.output)
        case .rotate: try await KeyRotation(store: try Self.able(store), output: lab.output).run()
        case .verify: try await StoreVerification(store: try Self.able(store), output: lab.output).run()
        }
    }

    private func list(_ store: any StoreKeyRotating, _ output: Output) async throws {
        var table = Table(["key", "role", "rows"])
        for key in try await store.keyUsage() {
            guard output.isJSON else {
                table.add([key.id, Self.words(key.role), "\(key.rows)"])
                continue
            }
            output.event(
                "key",
                ["id": .string(key.id), "role": .string(key.role.rawValue), "rows": .integer(key.rows)],
                text: ""
            )
        }
        for line in table.lines(Palette(isColored: output.isColored)) { output.line(line) }
    }

    private static func words(_ role: StoreKeyUsage.Role) -> String {
        switch role {
        case .active: "active"
        case .readOnly: "read-only"
        case .missing: "missing here"
        }
    }

    /// The store as something that not every store is.
    private static func able<Ability>(_ store: any Sendable) throws -> Ability {
        guard let able = store as? Ability else {
            throw IdentityError(.configuration, .storeFailed, "The configured store cannot do this.")
        }
        return able
    }
}
