//! What travels between a program that asks and the module that answers: a length, then one request or one answer.
//!
//! The asking side connects nothing and waits; the module connects to the socket named by the cvar `ft_socket` when its
//! map has settled. Each request gets exactly one answer. When the socket closes, the module ends its server.

use std::io::{self, Read, Write};

use fireteam_world::{Sweep, Vec3};

use super::field::{Bytes, Fault, Field, Sink, Source};
use super::navigation::{Goal, Trips};
use super::race::{Laps, Race};
use super::rows::{Body, ClientRow, Command, Drive, EntityRow, Frame, Head, TraceAnswer};

/// No message is longer: 20,000 sweeps take 1.1 MB, a drive of a minute with every mover of a map less than 8 MB.
pub const MESSAGE_BYTES_MAX: usize = 64 << 20;

#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    Head,
    Entities,
    /// Sweeps against the map and everything linked into it, as it stands now.
    Traces(Vec<Sweep>),
    Contents(Vec<Vec3>),
    /// Whether each pair of points may see one another by the map's visibility table.
    Sight(Vec<(Vec3, Vec3)>),
    Drive(Drive),
    Race(Race),
    /// Every client in the game just now.
    Players,
    Stock(StockQuestion),
    Guest(GuestRequest),
    /// A line for the server's console, carried out before its next loop.
    Console(String),
}

/// What the stock bots' library is asked; with `bot_enable` off it knows nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum StockQuestion {
    /// The area that a bot with each of these origins would believe to be in.
    Areas(Vec<Vec3>),
    /// Every goal known by one of these names.
    Goals(Vec<String>),
    TravelTimes(Trips),
}

/// For the one client that stays and is driven frame by frame.
#[derive(Clone, Debug, PartialEq)]
pub enum GuestRequest {
    /// Connects it and puts it there, sending an earlier one away. The commands of the body are not looked at.
    Enter(Body),
    /// One frame of the game, in which it presses this.
    Press(Command),
    Leave,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Head(Head),
    Entities(Vec<EntityRow>),
    Traces(Vec<TraceAnswer>),
    Contents(Vec<i32>),
    Sight(Vec<bool>),
    Drive(Vec<Frame>),
    Race(Laps),
    /// 0 where the stock bots know no area.
    Areas(Vec<i32>),
    Goals(Vec<Goal>),
    /// Hundredths of a second; 0 where they know no way.
    TravelTimes(Vec<i32>),
    /// The moment after entering, or after a frame.
    Frame(Frame),
    Players(Vec<ClientRow>),
    Done,
    /// The request could not be carried out.
    Refused(String),
}

/// A tag, then the payload if the variant has one.
macro_rules! tagged {
    ($type:ident { $($tag:literal $name:ident $(($payload:ident))?,)* }) => {
        impl Field for $type {
            fn put(&self, sink: &mut impl Sink) {
                match self {
                    $($type::$name $(($payload))? => {
                        sink.int($tag);
                        $($payload.put(sink);)?
                    })*
                }
            }
            fn take(source: &mut impl Source) -> Result<$type, Fault> {
                match source.int()? {
                    $($tag => {
                        $(let $payload = Field::take(source)?;)?
                        Ok($type::$name $(($payload))?)
                    })*
                    other => Err(Fault::Range(other.into())),
                }
            }
        }
    };
}

tagged!(Request {
    0 Head,
    1 Entities,
    2 Traces(sweeps),
    3 Contents(points),
    4 Sight(pairs),
    5 Drive(drive),
    6 Race(race),
    7 Players,
    8 Stock(question),
    9 Guest(request),
    10 Console(line),
});
tagged!(StockQuestion { 0 Areas(points), 1 Goals(names), 2 TravelTimes(trips), });
tagged!(GuestRequest { 0 Enter(body), 1 Press(command), 2 Leave, });
tagged!(Answer {
    0 Head(head),
    1 Entities(rows),
    2 Traces(answers),
    3 Contents(answers),
    4 Sight(answers),
    5 Drive(frames),
    6 Refused(reason),
    7 Race(laps),
    8 Areas(areas),
    9 Goals(goals),
    10 TravelTimes(times),
    11 Frame(frame),
    12 Players(rows),
    13 Done,
});

/// Writes one message.
pub fn send(stream: &mut impl Write, message: &impl Field) -> io::Result<()> {
    let mut bytes = Bytes(vec![0; 4]);
    message.put(&mut bytes);
    let length = bytes.0.len() - 4;
    if length > MESSAGE_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes is too long")));
    }
    bytes.0[..4].copy_from_slice(&(length as u32).to_le_bytes());
    stream.write_all(&bytes.0)
}

/// Reads one message; `UnexpectedEof` when the other side is gone.
pub fn receive<T: Field>(stream: &mut impl Read) -> io::Result<T> {
    let invalid = |fault: String| io::Error::new(io::ErrorKind::InvalidData, fault);
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MESSAGE_BYTES_MAX {
        return Err(invalid(format!("a message of {length} bytes is too long")));
    }
    let mut bytes = vec![0; length];
    stream.read_exact(&mut bytes)?;
    let mut source = bytes.as_slice();
    let message = T::take(&mut source).map_err(|fault| invalid(format!("message: {fault}")))?;
    match source.len() {
        0 => Ok(message),
        left => Err(invalid(format!("message: {left} bytes too many"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_comes_back() {
        let request = Request::Sight(vec![(Vec3::X, Vec3::Y), (Vec3::Z, Vec3::ZERO)]);
        let mut stream = Vec::new();
        send(&mut stream, &request).expect("memory takes everything");
        assert_eq!(receive::<Request>(&mut stream.as_slice()).expect("just written"), request);
    }

    #[test]
    fn length_beyond_the_limit_is_not_allocated() {
        let error = receive::<Request>(&mut [0xff; 8].as_slice()).expect_err("4 GB");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
    }
}
