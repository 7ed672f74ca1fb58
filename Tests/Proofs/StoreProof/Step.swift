internal import Foundation
internal import IdentityKit
internal import IdentitySQLite
internal import IdentityStoreKit

enum Step: Sendable, CustomStringConvertible {
    case insert(StoredSession)
    case save(StoredSession)
    case remove(SessionID)
    case beginLogin(String)
    case takeLogin(String)
    case markUsed(String)
    case attach(SessionID, String?)
    case spool(StoredSession)
    case unspool(SessionID)
    case sweep(Date)
    case reseal
    case quarantine
    case backUp(String)

    var description: String {
        switch self {
        case .insert: "insert"
        case .save(let session): session.isInDoubt ? "claim" : "save"
        case .remove: "remove"
        case .beginLogin: "begin a login"
        case .takeLogin: "take a login"
        case .markUsed: "mark a token"
        case .attach(_, let payload): payload == nil ? "detach" : "attach"
        case .spool: "spool"
        case .unspool: "unspool"
        case .sweep: "sweep"
        case .reseal: "reseal"
        case .quarantine: "quarantine"
        case .backUp: "back up"
        }
    }

    var isOfSpool: Bool {
        switch self {
        case .spool, .unspool: true
        default: false
        }
    }

    /// Performs the operation; throws the store's error, or a finding if the store refuses a possible operation.
    func run(on store: SQLiteStore) async throws {
        var isDone = true
        switch self {
        case .insert(let session): try await store.insert(session)
        case .save(let session): isDone = try await store.replace(session, expecting: session.generation - 1)
        case .remove(let id): isDone = try await store.remove(id) != nil
        case .beginLogin(let key):
            try await store.insert(
                StoredLoginAttempt(key: key, tenant: "shop", expiresAt: Sample.late, payload: Secret(key))
            )
        case .takeLogin(let key): isDone = try await store.takeLoginAttempt(key) != nil
        case .markUsed(let key): isDone = try await store.markUsed(key, until: Sample.late)
        case .attach(let id, let payload):
            let revision = try await store.attachment("cart", of: id)?.revision
            isDone = try await store.setAttachment(
                "cart",
                to: payload.map { Secret($0) },
                of: id,
                expecting: revision
            )
        case .spool(let session): try await store.spool(session)
        case .unspool(let id): try await store.removeSpooledSession(id)
        case .sweep(let date): _ = try await store.sweep(expiredBefore: date)
        case .reseal:
            var position: ResealPosition?
            repeat { position = try await store.resealRows(after: position, limit: 5).position } while position != nil
        case .quarantine: isDone = try await store.quarantineDamagedRows() == 0
        case .backUp(let path): try await store.backup(to: path)
        }
        guard isDone else { throw Finding("\(self): the store refuses a possible operation") }
    }
}

/// The expected contents of a store.
struct Ledger: Sendable {
    enum Item: Hashable, Sendable, CustomStringConvertible {
        case session(SessionID), login(String), used(String), cart(SessionID), spooled(SessionID)

        var description: String {
            switch self {
            case .session(let id): "session \(id.rawValue)"
            case .login(let key): "login \(key)"
            case .used(let key): "used token \(key)"
            case .cart(let id): "cart of \(id.rawValue)"
            case .spooled(let id): "spooled session \(id.rawValue)"
            }
        }
    }

    /// The expected items; all others must be missing.
    private(set) var values: [Item: String] = [:]
    /// All items that were ever stored.
    private(set) var items: Set<Item> = []
    /// The times after which sessions may be swept.
    private var retention: [SessionID: Date] = [:]

    mutating func apply(_ step: Step) {
        switch step {
        case .insert(let session), .save(let session):
            set(.session(session.id), Self.text(session))
            retention[session.id] = session.retainedUntil
        case .remove(let id): removeSession(id)
        case .beginLogin(let key): set(.login(key), key)
        case .takeLogin(let key): set(.login(key), nil)
        case .markUsed(let key): set(.used(key), key)
        case .attach(let id, let payload): set(.cart(id), payload)
        case .spool(let session): set(.spooled(session.id), Self.text(session))
        case .unspool(let id): set(.spooled(id), nil)
        case .sweep(let date): for (id, end) in retention where end < date { removeSession(id) }
        case .reseal, .quarantine, .backUp: break
        }
    }

    private mutating func removeSession(_ id: SessionID) {
        set(.session(id), nil)
        set(.cart(id), nil)
        retention[id] = nil
    }

    private mutating func set(_ item: Item, _ value: String?) {
        values[item] = value
        items.insert(item)
    }

    private static func text(_ session: StoredSession) -> String {
        "\(session.generation) \(session.isInDoubt) \(session.payload.reveal())"
    }

    /// Returns the stored value of an item; taking a login changes the store.
    private static func found(_ item: Item, in store: SQLiteStore) async throws -> String? {
        switch item {
        case .session(let id): try await store.session(id).map(text)
        case .login(let key): try await store.takeLoginAttempt(key)?.payload.reveal()
        case .used(let key): try await store.isUsed(key) ? key : nil
        case .cart(let id): try await store.attachment("cart", of: id)?.payload.reveal()
        case .spooled(let id): try await store.spooledSession(id).map(text)
        }
    }

    /// Compares a store with the acknowledged contents; returns whether the store contains an operation that was not acknowledged.
    ///
    /// An operation without an acknowledgement must take effect completely or not at all. After a loss of power, pending logins may be
    /// missing, but a login that was taken is never there again.
    @discardableResult
    func check(_ store: SQLiteStore, or later: Ledger, mayLackLogins: Bool = false) async throws -> Bool {
        let health = try await store.checkHealth()
        guard health.isSound else {
            throw Finding("damaged: \(health.problems), \(health.damagedRows) rows")
        }
        var isAhead = false
        for item in later.items.sorted(by: { "\($0)" < "\($1)" }) {
            let found = try await Self.found(item, in: store)
            if found == values[item] { continue }
            if mayLackLogins, found == nil, case .login = item { continue }
            guard found == later.values[item] else {
                throw Finding("\(item): \(found ?? "nothing") instead of \(values[item] ?? "nothing")")
            }
            isAhead = true
        }
        return isAhead
    }
}

/// The sessions and keys of the proofs.
enum Sample {
    static let late = Date(timeIntervalSince1970: 4_000_000_000)
    static let early = Date(timeIntervalSince1970: 1_000_000_000)

    static func key(_ byte: UInt8) throws -> StoreKey {
        try StoreKey(bytes: Secret(bytes: [UInt8](repeating: byte, count: StoreKey.byteCount)))
    }

    static func session(_ number: Int, retainedUntil: Date = late) throws -> StoredSession {
        guard let id = SessionID(rawValue: identifier(number)) else {
            throw Finding("no session id")
        }
        return StoredSession(
            id: id,
            provider: "shopify",
            tenant: "shop \(number % 3)",
            issuer: "https://id.example",
            subject: "buyer \(number)",
            createdAt: early,
            retainedUntil: retainedUntil,
            payload: Secret("tokens of \(number)")
        )
    }

    /// 128 bits as base64url.
    private static func identifier(_ number: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var rest = number
        var text = ""
        for _ in 0..<21 {
            text.append(alphabet[rest % 64])
            rest /= 64
        }
        return text + "A"
    }

    static func configuration(_ folder: Folder, isLog: Bool = false) throws -> SQLiteStore.Configuration {
        try configuration(in: folder.path, isLog: isLog)
    }

    static func configuration(in path: String, isLog: Bool = false) throws -> SQLiteStore.Configuration {
        var configuration = SQLiteStore.Configuration(
            path: path + "/store.sqlite",
            key: try key(2),
            readOnlyKeys: [try key(1)],
            slotSize: 512,
            lockWait: .seconds(30)
        )
        configuration.journal = isLog ? .writeAheadLog : .rollback
        // In the proofs only one process writes at a time.
        configuration.trustsWriteAheadLog = true
        configuration.bootID = { "boot 1" }
        return configuration
    }
}

extension StoredSession {
    func next(_ text: String, isInDoubt: Bool = false) -> StoredSession {
        var next = self
        next.generation += 1
        next.isInDoubt = isInDoubt
        next.payload = Secret(text)
        return next
    }
}
