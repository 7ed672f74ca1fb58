internal import CIdentityOpenSSL

/// The two forms of an ECDSA signature: JOSE's concatenation of r and s (RFC 7518 section 3.4), and OpenSSL's DER.
enum ECDSASignature {
    /// The DER form of a JOSE signature, a SEQUENCE of two INTEGERs; the caller has checked the length of the signature.
    static func der(fromJOSE signature: [UInt8], coordinateCount: Int) -> [UInt8] {
        var der: [UInt8] = []
        der.reserveCapacity(signature.count + 9)
        der += [0x30, 0]
        append(signature.prefix(coordinateCount), to: &der)
        append(signature.dropFirst(coordinateCount), to: &der)
        // The two INTEGERs have at most 138 bytes (P-521). DER writes a length below 128 in one byte, and a length up to 255 in two bytes.
        der[1] = UInt8(der.count - 2)
        if der[1] >= 0x80 { der.insert(0x81, at: 1) }
        return der
    }

    private static func append(_ magnitude: ArraySlice<UInt8>, to der: inout [UInt8]) {
        let digits = magnitude.drop { $0 == 0 }
        // A DER integer is signed. A number whose high bit is set needs a zero octet before it; the number zero is one zero octet.
        let needsZero = digits.first.map { $0 >= 0x80 } ?? true
        der.append(0x02)
        der.append(UInt8(digits.count + (needsZero ? 1 : 0)))
        if needsZero { der.append(0) }
        der += digits
    }

    /// The JOSE form of OpenSSL's signature; nil if the signature is not DER, or if r or s is longer than `coordinateCount` bytes.
    static func jose(fromDER der: [UInt8], coordinateCount: Int) -> [UInt8]? {
        unsafe der.withUnsafeBufferPointer { der in
            var cursor = der.baseAddress
            guard let signature = unsafe d2i_ECDSA_SIG(nil, &cursor, der.count) else { return nil }
            defer { unsafe ECDSA_SIG_free(signature) }
            let length = Int32(coordinateCount)
            var r = [UInt8].zeros(coordinateCount)
            var s = [UInt8].zeros(coordinateCount)
            guard
                unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), &r, length) == length,
                unsafe BN_bn2binpad(ECDSA_SIG_get0_s(signature), &s, length) == length
            else { return nil }
            return r + s
        }
    }
}
