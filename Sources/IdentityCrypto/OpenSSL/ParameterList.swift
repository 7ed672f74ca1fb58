internal import CIdentityOpenSSL

/// Named parameters for OpenSSL (`OSSL_PARAM`).
///
/// An `OSSL_PARAM` contains pointers to its name and value, and a pointer to a Swift value is valid only during one call. So this list owns
/// a copy of each name and value, and wipes the copies when it is released.
@safe
final class ParameterList {
    private var parameters: [OSSL_PARAM] = unsafe []
    private var storage: [UnsafeMutableRawBufferPointer] = unsafe []

    deinit {
        unsafe storage.forEach { buffer in
            unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            unsafe buffer.deallocate()
        }
    }

    func add(_ name: String, text: String) {
        let value = unsafe own(Array(text.utf8) + [0])
        unsafe parameters.append(
            OSSL_PARAM_construct_utf8_string(ownedName(name), value.assumingMemoryBound(to: CChar.self), 0)
        )
    }

    func add(_ name: String, octets: [UInt8]) {
        unsafe octets.withUnsafeBytes { unsafe add(name, octets: $0) }
    }

    func add(_ name: String, octets: UnsafeRawBufferPointer) {
        let value = unsafe own(octets)
        unsafe parameters.append(OSSL_PARAM_construct_octet_string(ownedName(name), value, octets.count))
    }

    /// Adds an unsigned integer of any size, most significant octet first as in JOSE.
    func add(_ name: String, bigEndian magnitude: [UInt8]) {
        #if _endian(little)
        let native = Array(magnitude.reversed())
        #else
        let native = magnitude
        #endif
        let value = unsafe own(native)
        unsafe parameters.append(
            OSSL_PARAM_construct_BN(ownedName(name), value.assumingMemoryBound(to: UInt8.self), native.count)
        )
    }

    func withPointer<R>(_ body: (UnsafeMutablePointer<OSSL_PARAM>?) -> R) -> R {
        var terminated = unsafe parameters + [OSSL_PARAM_construct_end()]
        return unsafe terminated.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress) }
    }

    private func ownedName(_ name: String) -> UnsafePointer<CChar> {
        unsafe UnsafePointer(own(Array(name.utf8) + [0]).assumingMemoryBound(to: CChar.self))
    }

    private func own(_ bytes: [UInt8]) -> UnsafeMutableRawPointer {
        unsafe bytes.withUnsafeBytes { unsafe own($0) }
    }

    private func own(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
        let start = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
        unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: max(bytes.count, 1))
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: start, count: bytes.count)
        unsafe buffer.copyMemory(from: bytes)
        unsafe storage.append(buffer)
        return unsafe start
    }
}
