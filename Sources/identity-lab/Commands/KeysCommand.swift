internal import IdentityKit
internal import IdentityStoreKit

struct KeysCommand: Command {
    static let name = "keys"
    static let summary =
        "List the keys of the session store, encrypt all records with the active key, or verify every record."
    static let actions = Action.allCases.map(\.rawValue)
    static let options: [Option] = []
    static let examples = [
        "identity-lab keys list                  list the keys and how many records each encrypts",
        "identity-lab keys rotate                encrypt every record with store.key, 100 at a time; can be interrupted",
        "identity-lab keys verify --json         decrypt every record and report unreadable ones",
    ]

    enum Action: String, CaseIterable {
        case list, rotate, verify
    }

    private let action: Action

    init(_ arguments: Arguments) throws {
        guard let action = arguments.action.flatMap(Action.init) else {
            throw UsageError("keys needs an action: \(Self.actions.joined(separator: ", ")).")
        }
        self.action = action
    }

    func run(_ lab: Lab) async throws {
        let store = try await lab.openStore()
        switch action {
        case .list: try await list(store, lab.output)
        case .rotate: try await KeyRotationRun(store: store, output: lab.output).run()
        case .verify: try await StoreVerification(store: store, output: lab.output).run()
        }
    }

    private func list(_ store: any StoreKeyRotating, _ output: Output) async throws {
        var table = Table(["key", "role", "records"])
        for key in try await store.keyUsage() {
            table.add([key.id, Self.text(for: key.role), "\(key.rows)"])
            output.event(
                "key",
                ["id": .string(key.id), "role": .string(key.role.rawValue), "rows": .integer(key.rows)]
            )
        }
        output.table(table)
    }

    private static func text(for role: StoreKeyUsage.Role) -> String {
        switch role {
        case .active: "active"
        case .readOnly: "read-only"
        case .missing: "not configured"
        }
    }
}
