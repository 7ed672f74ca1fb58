/// The number of rows that were added for each tenant since they were last counted.
///
/// Counting reads the tenant's part of an index, so a large number is counted only occasionally: each process may add
/// `maximum / 128` rows for each count. Below a maximum of 256, the rows are counted for each new row.
package struct TenantRowCounter: Sendable {
    private static let maximumTenants = 1_024

    // The keys are bytes, because canonically equivalent names are different tenants.
    private var added: [[UInt8]: Int] = [:]

    package init() {}

    /// Records a new row.
    ///
    /// - Returns: Whether the tenant's rows must be counted before it is added.
    package mutating func addRow(of tenant: String, limit maximum: Int) -> Bool {
        let name = Array(tenant.utf8)
        if let count = added[name], count < maximum / 128 {
            added[name] = count + 1
            return false
        }
        if added.count >= Self.maximumTenants { added.removeAll() }
        added[name] = 1
        return true
    }

    /// Forgets the last row, because it was refused.
    package mutating func removeRow(of tenant: String) {
        added[Array(tenant.utf8)] = nil
    }
}
