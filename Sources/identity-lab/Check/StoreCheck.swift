internal import FoundationEssentials
internal import IdentityKit
internal import IdentityStoreKit

/// Checks the store of a configuration: that it opens, that its keys are known, and what its sessions show about the providers.
struct StoreCheck {
    let report: CheckReport
    /// The SQLite file of `--store`.
    let path: String?

    func run(_ section: ConfigurationSection?, _ providers: [any IdentityProvider]) async {
        if section == nil, path == nil {
            report.warn(
                "store",
                "open",
                "No store is configured, so sessions cannot be stored.",
                hint:
                    "Add \"store\": { \"path\": \"identity.sqlite\" } and set IDENTITY_STORE_KEY, or pass --store PATH."
            )
            return
        }
        if let file = missingFile(section) {
            // The members of the section are checked although the file does not exist.
            var section = section
            do {
                try section?.check(members: ["path", "key", "readOnlyKeys"])
                _ = try StoreKeys(&section)
                let folder = URL(filePath: file).deletingLastPathComponent().path
                guard FileManager.default.isWritableFile(atPath: folder) else {
                    throw IdentityError(
                        configuration:
                            "The file \(file) cannot be created: its folder \(folder) does not exist, or this user may not write to it.",
                        hint: "Create the folder for the user of the app, or correct store.path."
                    )
                }
                report.warn(
                    "store",
                    "open",
                    "The key is valid. The file \(file) does not exist yet.",
                    hint: "Run identity-lab login to create the file. In production, create it once."
                )
            } catch {
                report.fail("store", "open", error)
            }
            return
        }
        do {
            let opened = try await StoreOpening.open(section, path: path, creates: false)
            report.ok("store", "open", "The store opens with the configured key.")
            await checkKeys(opened.store)
            await checkSessions(opened.store, providers)
            await opened.close()
        } catch {
            report.fail("store", "open", error)
        }
    }

    private func missingFile(_ section: ConfigurationSection?) -> String? {
        var section = section
        guard let file = path ?? (try? section?.optionalString("path")) ?? nil else { return nil }
        return FileManager.default.fileExists(atPath: file) ? nil : file
    }

    private func checkKeys(_ store: any LabStore) async {
        guard let store = store as? any StoreKeyRotating else { return }
        do {
            let keys = try await store.keyUsage()
            if let missing = keys.first(where: { $0.role == .missing && $0.rows > 0 }) {
                throw IdentityError(
                    configuration:
                        "Records are encrypted with a key that is not configured: \(missing.rows) with \(missing.id).",
                    hint: "Add this key to store.readOnlyKeys, and run identity-lab keys rotate."
                )
            }
            let old = keys.filter { $0.role == .readOnly }.reduce(0) { $0 + $1.rows }
            guard old > 0 else { return report.ok("store", "keys", "All records are encrypted with the active key.") }
            report.warn(
                "store",
                "keys",
                "Records are encrypted with a read-only key: \(old).",
                hint: "Run identity-lab keys rotate, then remove the key from store.readOnlyKeys."
            )
        } catch {
            report.fail("store", "keys", error)
        }
    }

    /// Warns if the newest session of a provider cannot be refreshed although the provider should issue refresh tokens.
    private func checkSessions(_ store: any LabStore, _ providers: [any IdentityProvider]) async {
        for provider in providers {
            let filter = SessionFilter(provider: provider.descriptor.name)
            guard let newest = try? await store.sessions(matching: filter).last,
                let tokens = try? SessionState(newest).tokens, tokens.refreshToken == nil
            else { continue }
            let isMissing = !tokens.isGranted("offline_access")
            report.warn(
                "providers.\(provider.descriptor.name)",
                "refresh token",
                "The newest session has no refresh token\(isMissing ? ", and offline_access was not granted" : "")."
                    + " It ends with its access token.",
                hint:
                    "If the provider issues refresh tokens, request them: for many, scope offline_access with prompt=consent."
            )
        }
    }
}
