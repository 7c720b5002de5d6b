//! Embree 3's C interface, as far as we need it, opened at run time.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::scene::{Ray, Triangle};

type Device = *mut c_void;
type SceneHandle = *mut c_void;
type Geometry = *mut c_void;

/// `RTCRay`.
#[repr(C, align(16))]
struct RtcRay {
    origin: [f32; 3],
    near: f32,
    direction: [f32; 3],
    time: f32,
    far: f32,
    mask: c_uint,
    id: c_uint,
    flags: c_uint,
}

/// `RTCHit`.
#[repr(C)]
struct RtcHit {
    normal: [f32; 3],
    uv: [f32; 2],
    primitive: c_uint,
    geometry: c_uint,
    instance: c_uint,
}

/// `RTCRayHit`.
#[repr(C, align(16))]
struct RtcRayHit {
    ray: RtcRay,
    hit: RtcHit,
}

/// `RTCIntersectContext`.
#[repr(C)]
struct RtcContext {
    flags: c_uint,
    filter: *const c_void,
    instance: c_uint,
}

const _: () = {
    assert!(size_of::<RtcRay>() == 48);
    assert!(size_of::<RtcHit>() == 32);
    assert!(size_of::<RtcRayHit>() == 80);
};

const INVALID: c_uint = c_uint::MAX;
const BUILD_QUALITY_HIGH: c_int = 2;
const GEOMETRY_TRIANGLE: c_int = 0;
const BUFFER_INDEX: c_int = 0;
const BUFFER_VERTEX: c_int = 1;
const FORMAT_UINT3: c_int = 0x5003;
const FORMAT_FLOAT3: c_int = 0x9003;

/// Embree's functions.
pub(crate) struct Embree {
    new_device: unsafe extern "C" fn(*const c_char) -> Device,
    device_error: unsafe extern "C" fn(Device) -> c_int,
    new_scene: unsafe extern "C" fn(Device) -> SceneHandle,
    set_build_quality: unsafe extern "C" fn(SceneHandle, c_int),
    new_geometry: unsafe extern "C" fn(Device, c_int) -> Geometry,
    new_buffer: unsafe extern "C" fn(Geometry, c_int, c_uint, c_int, usize, usize) -> *mut c_void,
    commit_geometry: unsafe extern "C" fn(Geometry),
    attach_geometry: unsafe extern "C" fn(SceneHandle, Geometry) -> c_uint,
    commit_scene: unsafe extern "C" fn(SceneHandle),
    intersect: unsafe extern "C" fn(SceneHandle, *mut RtcContext, *mut RtcRayHit),
    occluded: unsafe extern "C" fn(SceneHandle, *mut RtcContext, *mut RtcRay),
}

/// Triangles under Embree's best hierarchy. Lives until the process ends, as does its device.
pub(crate) struct Built<'a> {
    embree: &'a Embree,
    scene: SceneHandle,
}

impl Embree {
    /// TBB is opened first and for all: Embree asks for it by name, and it may lie where the loader does not look.
    pub(crate) fn open(tbb: &Path, embree: &Path) -> Result<Embree, String> {
        open(tbb)?;
        let library = open(embree)?;
        // SAFETY: each name is looked up in Embree 3, where it has the type of the field it is stored in.
        unsafe {
            Ok(Embree {
                new_device: symbol(library, c"rtcNewDevice")?,
                device_error: symbol(library, c"rtcGetDeviceError")?,
                new_scene: symbol(library, c"rtcNewScene")?,
                set_build_quality: symbol(library, c"rtcSetSceneBuildQuality")?,
                new_geometry: symbol(library, c"rtcNewGeometry")?,
                new_buffer: symbol(library, c"rtcSetNewGeometryBuffer")?,
                commit_geometry: symbol(library, c"rtcCommitGeometry")?,
                attach_geometry: symbol(library, c"rtcAttachGeometry")?,
                commit_scene: symbol(library, c"rtcCommitScene")?,
                intersect: symbol(library, c"rtcIntersect1")?,
                occluded: symbol(library, c"rtcOccluded1")?,
            })
        }
    }

    pub(crate) fn build(&self, triangles: &[Triangle]) -> Result<Built<'_>, String> {
        let count = triangles.len();
        // SAFETY: handles come from Embree itself; each buffer is filled to the size it was asked for before the
        // geometry is committed.
        unsafe {
            let device = (self.new_device)(c"threads=1".as_ptr());
            if device.is_null() {
                return Err("Embree makes no device".to_owned());
            }
            let scene = (self.new_scene)(device);
            (self.set_build_quality)(scene, BUILD_QUALITY_HIGH);
            let geometry = (self.new_geometry)(device, GEOMETRY_TRIANGLE);
            let vertices = (self.new_buffer)(geometry, BUFFER_VERTEX, 0, FORMAT_FLOAT3, 12, 3 * count);
            let indices = (self.new_buffer)(geometry, BUFFER_INDEX, 0, FORMAT_UINT3, 12, count);
            if vertices.is_null() || indices.is_null() {
                return Err(format!("Embree has no room for {count} triangles"));
            }
            vertices.cast::<Triangle>().copy_from_nonoverlapping(triangles.as_ptr(), count);
            for index in 0..3 * count {
                indices.cast::<u32>().add(index).write(index as u32);
            }
            (self.commit_geometry)(geometry);
            (self.attach_geometry)(scene, geometry);
            (self.commit_scene)(scene);
            match (self.device_error)(device) {
                0 => Ok(Built { embree: self, scene }),
                error => Err(format!("Embree's error {error}")),
            }
        }
    }
}

impl Built<'_> {
    /// The whole answer is computed: distance, normal, triangle.
    #[inline]
    pub(crate) fn meets_closest(&self, ray: &Ray) -> bool {
        let hit = RtcHit { normal: [0.0; 3], uv: [0.0; 2], primitive: INVALID, geometry: INVALID, instance: INVALID };
        let mut query = RtcRayHit { ray: query(ray), hit };
        // SAFETY: the scene is committed, the query and context have Embree's layout and live until it returns.
        unsafe { (self.embree.intersect)(self.scene, &mut context(), &mut query) };
        std::hint::black_box(&query).hit.geometry != INVALID
    }

    #[inline]
    pub(crate) fn meets_any(&self, ray: &Ray) -> bool {
        let mut query = query(ray);
        // SAFETY: as above.
        unsafe { (self.embree.occluded)(self.scene, &mut context(), &mut query) };
        // Embree says so.
        query.far == f32::NEG_INFINITY
    }
}

fn query(ray: &Ray) -> RtcRay {
    let [x, y, z, to_x, to_y, to_z] = *ray;
    RtcRay {
        origin: [x, y, z],
        near: 0.0,
        direction: [to_x - x, to_y - y, to_z - z],
        time: 0.0,
        far: 1.0,
        mask: c_uint::MAX,
        id: 0,
        flags: 0,
    }
}

/// What `rtcInitIntersectContext`, an inline function of Embree's header, sets.
fn context() -> RtcContext {
    RtcContext { flags: 0, filter: std::ptr::null(), instance: INVALID }
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

#[link(name = "dl")]
unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
}
const RTLD_NOW: c_int = 2;
const RTLD_GLOBAL: c_int = 0x100;
const CLOCK_THREAD_CPUTIME_ID: c_int = 3;

/// CPU time of this thread.
pub(crate) fn thread_nanoseconds() -> i64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: fills in one `timespec`; this clock exists on every Linux.
    unsafe { clock_gettime(CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.seconds * 1_000_000_000 + time.nanoseconds
}

fn open(path: &Path) -> Result<*mut c_void, String> {
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| error.to_string())?;
    // SAFETY: opening a library runs its initialisers; those of TBB and Embree only prepare themselves.
    let handle = unsafe { dlopen(name.as_ptr(), RTLD_NOW | RTLD_GLOBAL) };
    if handle.is_null() { Err(last_error()) } else { Ok(handle) }
}

/// # Safety
/// `T` must be the type of a pointer to the function called `name`.
unsafe fn symbol<T: Copy>(library: *mut c_void, name: &CStr) -> Result<T, String> {
    const { assert!(size_of::<T>() == size_of::<*mut c_void>()) };
    // SAFETY: the library is open and the name a C string.
    let pointer = unsafe { dlsym(library, name.as_ptr()) };
    if pointer.is_null() {
        return Err(last_error());
    }
    // SAFETY: of the same size, and the caller knows its type.
    Ok(unsafe { std::mem::transmute_copy(&pointer) })
}

fn last_error() -> String {
    // SAFETY: null or a C string, valid until the next call.
    let text = unsafe { dlerror().as_ref().map(|text| CStr::from_ptr(text)) };
    text.map_or_else(|| "unknown error".to_owned(), |text| text.to_string_lossy().into_owned())
}
