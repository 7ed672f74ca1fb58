/// The number of rows that were added for each tenant since they were last counted.
///
/// Counting a tenant's rows is slow if there are many. So each process adds up to `maximum / 128` rows before the store counts again.
/// Below a maximum of 256, the store counts for each new row.
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

    /// Forgets the tenant after a row was refused, so that its rows are counted again for the next row.
    package mutating func removeRow(of tenant: String) {
        added[Array(tenant.utf8)] = nil
    }
}
