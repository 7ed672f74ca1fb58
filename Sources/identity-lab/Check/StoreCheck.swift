internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit

struct StoreCheck {
    let report: CheckReport
    let environment: IdentityEnvironment
    /// The SQLite file of `--store`, which replaces the configured store.
    let path: String?
    /// The number of records above which no session is decrypted.
    private static let maximumRecords = 1_000

    func run(_ section: ConfigurationSection?, _ providers: [any IdentityProvider]) async {
        if section == nil, path == nil {
            report.warn(
                "store",
                "open",
                "No store is configured, so sessions cannot be stored.",
                hint:
                    "Set the environment variable IDENTITY_STORE_KEY. Then add \"store\": { \"path\": \"identity.sqlite\" } to the "
                    + "configuration, or pass --store PATH."
            )
            return
        }
        do {
            if let file = missingFile(section) { return try checkNewStore(file, section) }
            let opened = try await OpenedStore.open(section, path: path, creates: false)
            report.ok("store", "open", "The store opens with the configured key.")
            checkTimeouts(providers, opened.store)
            // Without the number of records, the sessions are not checked: the store may have too many sessions to decrypt.
            if let records = await checkKeys(opened.store) {
                await checkSessions(opened.store, providers, records: records)
            }
            await opened.close()
        } catch {
            report.fail("store", "open", error)
        }
    }

    private func checkNewStore(_ file: String, _ section: ConfigurationSection?) throws {
        var section = section
        try OpenedStore.check(section)
        _ = try StoreKeys(&section)
        let folder = URL(filePath: file).deletingLastPathComponent().path
        let source = path == nil ? "store.path" : "--store"
        guard FileManager.default.fileExists(atPath: folder) else {
            throw IdentityError(
                configuration: "The folder \(folder) of the store's file \(file) was not found.",
                hint:
                    "If the store exists, mount its disk, run identity-lab as the user of the app, or correct \(source). For a new "
                    + "store, create the folder."
            )
        }
        guard FileManager.default.isWritableFile(atPath: folder) else {
            throw IdentityError(
                configuration:
                    "The file \(file) cannot be created, because the current user may not write to its folder \(folder).",
                hint:
                    "Run identity-lab as the user of the app, make the current user the owner of the folder, or correct \(source). "
                    + "If the file system of the folder is mounted read-only, mount it writable."
            )
        }
        report.warn(
            "store",
            "open",
            "The key is valid. The file \(file) does not exist yet.",
            hint: "Run identity-lab login to create the file, or start an app whose createsStore is true, the default."
        )
    }

    private func missingFile(_ section: ConfigurationSection?) -> String? {
        var section = section
        guard let file = path ?? (try? section?.optionalString("path")) ?? nil else { return nil }
        return FileManager.default.fileExists(atPath: file) ? nil : file
    }

    /// Checks each provider's timeout: a refresh must end while the store still guarantees the session's lock.
    private func checkTimeouts(_ providers: [any IdentityProvider], _ store: any SessionStore) {
        var passes = !providers.isEmpty
        // Each provider gets a separate manager, because `checkConfiguration()` reports the first failure only.
        for provider in providers {
            do {
                // The registry refuses a provider with an invalid name, which `ProviderCheck` has already reported.
                guard let registry = try? ProviderRegistry([provider]) else { continue }
                try SessionManager(providers: registry, store: store, environment: environment).checkConfiguration()
            } catch {
                passes = false
                report.fail("providers.\(provider.descriptor.name)", "timeout", error)
            }
        }
        if passes { report.ok("store", "timeouts", "The providers' timeouts fit the store's locks.") }
    }

    /// Checks the keys, and returns the number of records; nil if the records could not be counted.
    private func checkKeys(_ store: any MaintainedStore) async -> Int? {
        var records: Int?
        do {
            let keys = try await store.keyUsage()
            records = keys.reduce(0) { $0 + $1.rows }
            if let missing = keys.first(where: { $0.role == .missing && $0.rows > 0 }) {
                throw IdentityError(
                    configuration:
                        "Records that are encrypted with key \(missing.id), which is not configured: \(missing.rows).",
                    hint:
                        "Add this key to store.readOnlyKeys. When no process uses this key as store.key, run: identity-lab keys rotate."
                )
            }
            let old = keys.filter { $0.role == .readOnly }.reduce(0) { $0 + $1.rows }
            guard old > 0 else {
                report.ok("store", "keys", "All records are encrypted with the active key.")
                return records
            }
            report.warn(
                "store",
                "keys",
                "Records that are encrypted with read-only keys: \(old).",
                hint:
                    "If a key rotation is in progress, continue it. Otherwise begin with step 3 of \"Rotating a key\" in "
                    + "Documentation/Operating/Keys.md."
            )
        } catch {
            report.fail("store", "keys", error)
        }
        return records
    }

    /// Warns about each provider whose newest session has no refresh token.
    ///
    /// A store decrypts every session that it lists, so the sessions of a large store are not checked.
    private func checkSessions(_ store: any LabStore, _ providers: [any IdentityProvider], records: Int) async {
        guard records <= Self.maximumRecords else {
            return report.ok(
                "store",
                "sessions",
                "The store has \(records) records, so no session was decrypted to check for a refresh token."
            )
        }
        for provider in providers {
            let filter = SessionFilter(provider: provider.descriptor.name)
            guard let newest = try? await store.sessions(matching: filter).last,
                let tokens = try? SessionState(newest).tokens, tokens.refreshToken == nil
            else { continue }
            // Only providers of kind openid issue refresh tokens because of the scope offline_access.
            let isOpenID = provider.descriptor.kind == "openid"
            let isMissing = isOpenID && !tokens.isGranted("offline_access")
            report.warn(
                "providers.\(provider.descriptor.name)",
                "refresh token",
                "The newest session has no refresh token\(isMissing ? ", and offline_access was not granted" : "")."
                    + " When its access token has expired, calls that need a token fail until the buyer signs in again.",
                hint: isOpenID
                    ? "Read in the provider's documentation how a client requests refresh tokens. For many providers, add offline_access "
                        + "to the provider's scopes, and set the provider's prompt to \"consent\"."
                    : "Read in the provider's documentation whether it issues refresh tokens to this kind of client."
            )
        }
    }
}
